package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"replanbench/harness"
)

// Parse reads a file over the defaults. Its error tells of all that is wrong,
// each with the file's name, line, column, the key, and what to write instead.
func Parse(name string, data []byte) (*Config, error) {
	c := Default()
	c.name = name
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: not YAML: %s (quote texts that hold : # { [ or begin with a mark)", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return c, nil // nothing but comments
	}
	d := decoder{config: c}
	d.value("", doc.Content[0], reflect.ValueOf(c).Elem())
	if d.errs != nil {
		return nil, errors.Join(d.errs...)
	}
	return c, nil
}

// decoder fills a Config from the nodes of a document.
type decoder struct {
	config *Config
	errs   []error
}

func (d *decoder) errorf(n *yaml.Node, key, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if key != "" {
		what = key + ": " + what
	}
	d.errs = append(d.errs, fmt.Errorf("%s:%d:%d: %s", d.config.name, n.Line, n.Column, what))
}

// value puts a node into a place of the configuration. A key without a value
// keeps its default.
func (d *decoder) value(key string, n *yaml.Node, into reflect.Value) {
	if n.Kind == yaml.AliasNode {
		d.errorf(n, key, "aliases are not read (write the value out)")
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if key != "" {
		d.config.places[key] = place{n.Line, n.Column}
	}
	switch {
	case into.Type() == reflect.TypeFor[time.Duration]():
		d.duration(key, n, into)
	case into.Kind() == reflect.Struct:
		d.object(key, n, into)
	case into.Kind() == reflect.Slice:
		d.list(key, n, into)
	default:
		d.scalar(key, n, into)
	}
}

func (d *decoder) object(key string, n *yaml.Node, into reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.errorf(n, key, "want keys and values (%s), not %s", strings.Join(keys(into.Type()), ", "), kind(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		path := join(key, name.Value)
		field, ok := fieldOf(into, name.Value)
		switch {
		case !ok:
			d.unknown(name, key, into.Type())
		case seen[name.Value]:
			d.errorf(name, path, "duplicate key (delete one)")
		default:
			before := len(d.errs)
			d.value(path, value, field.value)
			if len(d.errs) == before {
				d.bounds(path, value, field)
			}
		}
		seen[name.Value] = true
	}
}

// unknown names the keys that there are, the nearest first.
func (d *decoder) unknown(n *yaml.Node, key string, t reflect.Type) {
	names := keys(t)
	where := "at the top"
	if key != "" {
		where = "below " + key
	}
	if near := harness.Nearest(n.Value, names); near != "" {
		d.errorf(n, "", "unknown key %q %s; did you mean %q?", n.Value, where, near)
		return
	}
	d.errorf(n, "", "unknown key %q %s (there are %s)", n.Value, where, strings.Join(names, ", "))
}

// bounds refuses numbers below the smallest and above the largest.
func (d *decoder) bounds(key string, n *yaml.Node, f field) {
	if !f.value.CanInt() {
		return
	}
	if least, ok := f.bound("min"); ok && f.value.Int() < least {
		d.errorf(n, key, "%d is too small (at least %d)", f.value.Int(), least)
	}
	if most, ok := f.bound("max"); ok && f.value.Int() > most {
		d.errorf(n, key, "%d is too large (at most %d)", f.value.Int(), most)
	}
}

// bound is the number in a tag, if it has one.
func (f field) bound(tag string) (n int64, ok bool) {
	n, err := strconv.ParseInt(f.tag.Get(tag), 10, 64)
	return n, err == nil
}

func (d *decoder) list(key string, n *yaml.Node, into reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.errorf(n, key, "want a list, not %s (write [%s])", kind(n), short(n))
		return
	}
	into.SetZero() // an empty list is none
	if len(n.Content) > 0 {
		into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
	}
	for i, item := range n.Content {
		d.value(fmt.Sprintf("%s[%d]", key, i), item, into.Index(i))
	}
}

func (d *decoder) duration(key string, n *yaml.Node, into reflect.Value) {
	t, err := time.ParseDuration(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil:
		d.errorf(n, key, "want a time such as 500ms, 2s or 10m, not %s", short(n))
	case t < 0:
		d.errorf(n, key, "%s is less than nothing", n.Value)
	default:
		into.SetInt(int64(t))
	}
}

func (d *decoder) scalar(key string, n *yaml.Node, into reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		d.errorf(n, key, "want %s, not %s", wanted(into), kind(n))
		return
	}
	bits := 64
	if into.CanInt() {
		bits = into.Type().Bits()
	}
	var err error
	switch into.Kind() {
	case reflect.String:
		into.SetString(n.Value)
	case reflect.Bool:
		into.SetBool(n.Value == "true")
		if n.Value != "true" && n.Value != "false" {
			err = errors.New("neither")
		}
	case reflect.Int:
		var x int64
		x, err = strconv.ParseInt(n.Value, 10, bits)
		into.SetInt(x)
	case reflect.Uint64:
		var x uint64
		x, err = strconv.ParseUint(n.Value, 10, 64)
		into.SetUint(x)
	}
	if err != nil {
		d.errorf(n, key, "want %s, not %s", wanted(into), short(n))
	}
}

func wanted(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Uint64:
		return "a whole number"
	}
	return "a text"
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	return short(n)
}

// short quotes a scalar, cut to a length that a message can bear.
func short(n *yaml.Node) string {
	const most = 40
	s := []rune(n.Value)
	if n.Kind != yaml.ScalarNode {
		return "…"
	}
	if len(s) > most {
		s = append(s[:most], '…')
	}
	return strconv.Quote(string(s))
}

// field is a key of an object.
type field struct {
	name  string
	value reflect.Value
	tag   reflect.StructTag
}

func fieldsOf(v reflect.Value) []field {
	var list []field
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			list = append(list, field{f.Tag.Get("yaml"), v.Field(i), f.Tag})
		}
	}
	return list
}

func fieldOf(v reflect.Value, name string) (field, bool) {
	list := fieldsOf(v)
	if i := slices.IndexFunc(list, func(f field) bool { return f.name == name }); i >= 0 {
		return list[i], true
	}
	return field{}, false
}

func keys(t reflect.Type) []string {
	var names []string
	for _, f := range fieldsOf(reflect.New(t).Elem()) {
		names = append(names, f.name)
	}
	return names
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
