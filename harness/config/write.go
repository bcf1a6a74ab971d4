package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Commented returns the file with a comment above every key.
func (c *Config) Commented() []byte {
	var b strings.Builder
	b.WriteString("# The configuration of replanbench check. A key that is left out has\n" +
		"# its default. Flags override this file; replanbench check --explain prints what\n" +
		"# is in effect and why; replanbench schema config is a JSON Schema for editors.\n" +
		"# More: replanbench help gate\n")
	w := writer{out: &b, above: func(b *strings.Builder, indent string, f field) {
		if indent == "" {
			b.WriteString("\n")
		}
		for _, line := range wrap(f.tag.Get("doc"), 80-len(indent)-2) {
			b.WriteString(indent + "# " + line + "\n")
		}
	}}
	w.object("", "", reflect.ValueOf(c).Elem())
	return []byte(b.String())
}

// Explained returns the effective values, each with its origin.
func (c *Config) Explained() []byte {
	var b strings.Builder
	w := writer{out: &b, behind: func(key string) string { return "  # " + c.Origin(key) }}
	w.object("", "", reflect.ValueOf(c).Elem())
	return []byte(b.String())
}

// writer writes a configuration as YAML, with comments.
type writer struct {
	out    *strings.Builder
	above  func(b *strings.Builder, indent string, f field)
	behind func(key string) string
}

func (w *writer) object(key, indent string, v reflect.Value) {
	for _, f := range fieldsOf(v) {
		path := join(key, f.name)
		if w.above != nil {
			w.above(w.out, indent, f)
		}
		w.out.WriteString(indent + f.name + ":")
		switch {
		case f.value.Kind() == reflect.Struct:
			w.out.WriteString("\n")
			w.object(path, indent+"  ", f.value)
		case f.value.Kind() == reflect.Slice && f.value.Len() > 0 && f.value.Type().Elem().Kind() == reflect.Struct:
			w.end(path)
			for i := range f.value.Len() {
				w.item(indent, f.value.Index(i))
			}
		default:
			w.out.WriteString(" " + scalar(f.value))
			w.end(path)
		}
	}
}

func (w *writer) end(key string) {
	if w.behind != nil {
		w.out.WriteString(w.behind(key))
	}
	w.out.WriteString("\n")
}

// item writes an object as an item of a list.
func (w *writer) item(indent string, v reflect.Value) {
	mark := "  - "
	for _, f := range fieldsOf(v) {
		w.out.WriteString(indent + mark + f.name + ": " + scalar(f.value) + "\n")
		mark = "    "
	}
}

func scalar(v reflect.Value) string {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return time.Duration(v.Int()).String()
	case v.Kind() == reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = scalar(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case v.Kind() == reflect.String:
		return quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// quote writes a text so that it is read back as that text.
func quote(s string) string {
	plain := regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./-]*$`)
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan", ".":
		return strconv.Quote(s)
	}
	if plain.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// wrap cuts a text into lines; lines that are indented stay as they are.
func wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(paragraph, " ") {
			lines = append(lines, paragraph)
			continue
		}
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(word) > width {
				lines = append(lines, line)
				line = ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		lines = append(lines, line)
	}
	return lines
}
