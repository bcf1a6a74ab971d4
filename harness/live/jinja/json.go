package jinja

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// jsonWriter writes as Python's json.dumps with sort_keys does.
type jsonWriter struct {
	strings.Builder
	indent int // -1: on one line
}

func (w *jsonWriter) write(v any, depth int) error {
	if depth > maxNested {
		return faultf("a value is nested more than %d deep", maxNested)
	}
	switch x := v.(type) {
	case nil:
		w.WriteString("null")
	case bool:
		w.WriteString(strconv.FormatBool(x))
	case int64:
		w.WriteString(strconv.FormatInt(x, 10))
	case float64:
		text := floatText(x)
		switch text {
		case "inf":
			text = "Infinity"
		case "-inf":
			text = "-Infinity"
		case "nan":
			text = "NaN"
		}
		w.WriteString(text)
	case string:
		w.text(x)
	case markup:
		w.text(string(x))
	case *list, tuple, group:
		list, _ := sequence(v)
		return w.all('[', ']', len(list), depth, func(i int) error { return w.write(list[i], depth+1) })
	case *dict:
		keys := slices.Sorted(slices.Values(x.keys))
		return w.all('{', '}', len(keys), depth, func(i int) error {
			w.text(keys[i])
			w.WriteString(": ")
			return w.write(x.values[keys[i]], depth+1)
		})
	case undefined:
		return faultf("%s", x.message)
	default:
		return faultf("%s has no JSON", describe(v))
	}
	return nil
}

func (w *jsonWriter) all(open, end byte, n, depth int, item func(int) error) error {
	w.WriteByte(open)
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
			if w.indent < 0 {
				w.WriteByte(' ')
			}
		}
		w.line(depth)
		if err := item(i); err != nil {
			return err
		}
	}
	if n > 0 {
		w.line(depth - 1)
	}
	w.WriteByte(end)
	return nil
}

func (w *jsonWriter) line(depth int) {
	if w.indent >= 0 {
		w.WriteString("\n" + strings.Repeat(" ", w.indent*depth))
	}
}

func (w *jsonWriter) text(s string) {
	w.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.WriteByte('\\')
			w.WriteRune(r)
		case r == '\n':
			w.WriteString(`\n`)
		case r == '\r':
			w.WriteString(`\r`)
		case r == '\t':
			w.WriteString(`\t`)
		case r == '\b':
			w.WriteString(`\b`)
		case r == '\f':
			w.WriteString(`\f`)
		case r >= ' ' && r < 0x7f:
			w.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(w, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(w, `\u%04x\u%04x`, high, low)
		}
	}
	w.WriteByte('"')
}
