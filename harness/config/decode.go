package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v4"

	"replanbench/harness"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/yamlfile"
)

// Parse reads a file over the defaults and checks it against [Schema]. Its error lists
// all faults, each with the file's name, line, column, the key, and what to write instead.
func Parse(name string, data []byte) (*Config, error) {
	c := Default()
	c.name = name
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		e := yamlfile.Syntax(data, err)
		return nil, fmt.Errorf("%s:%d:%d: %s", name, e.Line, e.Column, e.Message)
	}
	if len(doc.Content) == 0 {
		return c, nil // nothing but comments
	}
	d := decoder{config: c, keys: map[string]*yaml.Node{}, values: map[string]*yaml.Node{}}
	if err := d.check(doc.Content[0]); err != nil {
		return nil, err
	}
	if err := doc.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return c, nil
}

// decoder checks the nodes of a document. Nodes are kept by key, such as suites.fuzz.cases.
type decoder struct {
	config       *Config
	keys, values map[string]*yaml.Node
	faults       []fault
}

type fault struct {
	line, column int
	words        string
}

func (d *decoder) errorf(n *yaml.Node, key, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if key != "" {
		what = key + ": " + what
	}
	d.faults = append(d.faults, fault{n.Line, n.Column, what})
}

// check returns all faults of a document, in the order of their lines.
func (d *decoder) check(root *yaml.Node) error {
	described := Schema()
	checker, err := schema.Compile("config", described)
	if err != nil {
		return err
	}
	tree := d.tree("", root)
	for _, f := range checker.Faults(tree) {
		d.explain(described, f)
	}
	slices.SortStableFunc(d.faults, func(a, b fault) int { return cmp.Or(a.line-b.line, a.column-b.column) })
	var errs []error
	for _, f := range d.faults {
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s", d.config.name, f.line, f.column, f.words))
	}
	return errors.Join(errs...)
}

// tree returns the value of a node as a JSON Schema sees it. A key without a value keeps
// its default, so tree removes it from the node.
func (d *decoder) tree(key string, n *yaml.Node) any {
	d.values[key] = n
	if key != "" {
		d.config.places[key] = place{n.Line, n.Column}
	}
	switch n.Kind {
	case yaml.AliasNode:
		d.errorf(n, key, "aliases are not read (write the value out)")
		return nil
	case yaml.MappingNode:
		return d.mapping(key, n)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = d.tree(fmt.Sprintf("%s[%d]", key, i), item)
		}
		if len(list) == 0 {
			*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column} // an empty list is none
		}
		return list
	}
	var v any
	switch n.Tag {
	case "!!null", "!!bool", "!!int", "!!float":
		if err := n.Decode(&v); err != nil {
			d.errorf(n, key, "%s is not a value of the type %s", found(n), n.Tag)
		}
		return v
	}
	return n.Value // a text, or a date, which is a text to a schema
}

// renamed maps keys to their present names. The next version does not read them.
func renamed() map[string]string { return map[string]string{"suites.fuzz.faults": "traits"} }

func (d *decoder) mapping(key string, n *yaml.Node) any {
	object := map[string]any{}
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		path := join(key, name.Value)
		if now := renamed()[path]; now != "" {
			d.config.renamed = append(d.config.renamed, [2]string{path, join(key, now)})
			name.Value, path = now, join(key, now)
		}
		if d.keys[path] != nil {
			d.errorf(name, path, "duplicate key (delete one)")
			continue
		}
		d.keys[path] = name
		if value.Kind == yaml.ScalarNode && value.Tag == "!!null" {
			object[name.Value] = nil
			continue
		}
		object[name.Value] = d.tree(path, value)
		kept = append(kept, name, value)
	}
	n.Content = kept
	return object
}

// explain turns a fault of the schema into a message.
func (d *decoder) explain(described map[string]any, f schema.Fault) {
	key, wanted := "", described
	for _, name := range f.Path {
		if items, ok := wanted["items"].(map[string]any); ok {
			key, wanted = key+"["+name+"]", items
			continue
		}
		properties, _ := wanted["properties"].(map[string]any)
		wanted, _ = properties[name].(map[string]any)
		key = join(key, name)
	}
	n := d.values[key]
	unknown, _ := f.Kind.(*kind.AdditionalProperties)
	least, _ := f.Kind.(*kind.Minimum)
	most, _ := f.Kind.(*kind.Maximum)
	isList := slices.Contains(typesOf(wanted), any("array"))
	switch {
	case unknown != nil:
		for _, name := range unknown.Properties {
			d.unknown(key, name, keysOf(wanted))
		}
	case wanted["pattern"] != nil:
		d.errorf(n, key, "expected a time such as 500ms, 2s or 10m, not %s", found(n))
	case least != nil:
		d.errorf(n, key, "%s is too small (at least %s)", n.Value, least.Want.RatString())
	case most != nil:
		d.errorf(n, key, "%s is too large (at most %s)", n.Value, most.Want.RatString())
	case isList && n.Kind == yaml.ScalarNode:
		d.errorf(n, key, "expected a list, not %s (write [%[1]s])", found(n))
	default:
		d.errorf(n, key, "expected %s, not %s", inWords(wanted), found(n))
	}
}

// unknown lists the known keys, or the one that is probably meant.
func (d *decoder) unknown(key, name string, known []string) {
	n := d.keys[join(key, name)]
	where := "at the top"
	if key != "" {
		where = "below " + key
	}
	if near := harness.Nearest(name, known); near != "" {
		d.errorf(n, "", "unknown key %q %s; did you mean %q?", name, where, near)
		return
	}
	d.errorf(n, "", "unknown key %q %s (there are %s)", name, where, strings.Join(known, ", "))
}

// keysOf returns the sorted names of an object's keys.
func keysOf(object map[string]any) []string {
	properties, _ := object["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

func typesOf(wanted map[string]any) []any {
	types, _ := wanted["type"].([]any)
	return types
}

// inWords returns what a schema wants.
func inWords(wanted map[string]any) string {
	switch typesOf(wanted)[0] {
	case "object":
		return "keys and values (" + strings.Join(keysOf(wanted), ", ") + ")"
	case "array":
		return "a list"
	case "string":
		return "a text"
	case "boolean":
		return "true or false"
	}
	return "a whole number"
}

// found quotes a scalar, cut to a length that fits into a message, or names its kind.
func found(n *yaml.Node) string {
	const most = 40
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	s := []rune(n.Value)
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

// bound returns the number in a tag, if it has one.
func (f field) bound(tag string) (n int64, ok bool) {
	n, err := strconv.ParseInt(f.tag.Get(tag), 10, 64)
	return n, err == nil
}

func fieldsOf(v reflect.Value) []field {
	var list []field
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("yaml") != "" {
			list = append(list, field{f.Tag.Get("yaml"), v.Field(i), f.Tag})
		}
	}
	return list
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
