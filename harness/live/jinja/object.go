package jinja

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness/document/strictjson"
)

// Object is a mapping that is handed to a template, Python's dict with names for
// keys, in their order.
type Object []member

// member is one of an [Object].
type member struct {
	Name  string
	Value any
}

// float is a number with a fraction or an exponent, or one that is larger than 2^62.
// Templates cannot compute with the latter.
type float string

// FromJSON makes the value of a JSON document that templates see.
func FromJSON(v *strictjson.Value) any {
	switch v.Kind {
	case strictjson.Object:
		o := Object{}
		for _, m := range v.Members {
			o = append(o, member{m.Name, FromJSON(&m.Value)})
		}
		return o
	case strictjson.Array:
		list := []any{}
		for i := range v.Items {
			list = append(list, FromJSON(&v.Items[i]))
		}
		return list
	case strictjson.Number:
		if n, err := strconv.Atoi(v.Text); err == nil && n <= largest && -n <= largest {
			return n
		}
		return float(v.Text)
	case strictjson.Bool:
		return v.Text == "true"
	case strictjson.String:
		return v.Text
	}
	return nil
}

// object is an Object in a template. Nothing can change it.
type object struct {
	names  []string
	values map[string]any
}

func newObject(name string, o Object) *object {
	out := &object{values: map[string]any{}}
	for _, m := range o {
		if !utf8.ValidString(m.Name) {
			fail("the variable %q contains a name that is not UTF-8", name)
		}
		out.put(m.Name, fromGo(name, m.Value))
	}
	return out
}

// attribute is o.name. A method of Python's dict comes before a member.
func (o *object) attribute(name string) any {
	switch name {
	case "clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values":
		refuse("the method '%s' of a dict is not supported (to read a member of that name, write ['%s'])", name, name)
	}
	return o.member(name)
}

// member is o['name'].
func (o *object) member(name string) any {
	if v, ok := o.values[name]; ok {
		return v
	}
	return undefined{what: "the member", name: name, known: strings.Join(o.names, ", ")}
}

// object writes a dict: in its own order, or sorted by names as JSON.
func (b *builder) object(o *object, depth int) {
	names := o.names
	if b.json {
		names = slices.Sorted(maps.Keys(o.values))
	}
	b.add("{")
	for i, name := range names {
		b.separate(i, depth)
		b.quote(name)
		b.add(": ")
		b.write(o.values[name], depth+1)
	}
	b.close(len(names), depth)
	b.add("}")
}
