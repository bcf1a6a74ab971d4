package generators

import (
	"slices"
)

// Value is a JSON value before it is written.
type Value struct {
	Json   string // JSON text; "" if another member is set
	Str    string // of a string
	IsText bool   // it is a string
	IsList bool
	Items  []Value // of a list
	Fields []Field // of an object
}

// Field is a member of an object.
type Field struct {
	Name string // "": the JSON text has members
	Value
}

// Raw returns a value with the given JSON text.
func Raw(json string) Value { return Value{Json: json} }

// Text returns a string.
func Text(s string) Value { return Value{Str: s, IsText: true} }

// Texts returns a list of strings.
func Texts(list []string) Value {
	v := Value{IsList: true}
	if len(list) > 0 {
		v.Items = make([]Value, 0, len(list))
	}
	for _, s := range list {
		v.Items = append(v.Items, Text(s))
	}
	return v
}

// List returns a list of the items.
func List(items ...Value) Value { return Value{IsList: true, Items: items} }

// Object returns an object with these members in this order.
func Object(fields ...Field) Value { return Value{Fields: fields} }

// Add appends a member.
func (v *Value) Add(name string, w Value) {
	if v.Fields == nil {
		v.Fields = make([]Field, 0, 4)
	}
	v.Fields = append(v.Fields, Field{name, w})
}

// Encode returns the value as JSON; the zero style is compact.
func (v Value) Encode(s Style) []byte {
	w := writer{Style: s, b: make([]byte, 0, v.size())}
	w.value(&v)
	return w.b
}

// size is about how many bytes the value takes on one line, without escapes.
func (v *Value) size() int {
	n := len(v.Json) + len(v.Str) + len(`"", `)
	for i := range v.Items {
		n += v.Items[i].size()
	}
	for i := range v.Fields {
		n += len(v.Fields[i].Name) + len(`"": `) + v.Fields[i].size()
	}
	return n
}

func (w *writer) value(v *Value) {
	switch {
	case v.Json != "":
		w.b = append(w.b, v.Json...)
	case v.IsText:
		w.text(v.Str)
	case v.IsList:
		w.open('[')
		for i := range v.Items {
			w.item()
			w.value(&v.Items[i])
		}
		w.close(']')
	default:
		w.open('{')
		for i := range v.Fields {
			if v.Fields[i].Name == "" {
				w.item()
			} else {
				w.name(v.Fields[i].Name)
			}
			w.value(&v.Fields[i].Value)
		}
		w.close('}')
	}
}

// Get returns the member of an object, or nil.
func (v *Value) Get(name string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i].Value
		}
	}
	return nil
}

// Drop removes a member.
func (v *Value) Drop(name string) {
	v.Fields = slices.DeleteFunc(v.Fields, func(f Field) bool { return f.Name == name })
}

// Put removes the member of that name, if any, and appends the new one.
func (v *Value) Put(name string, w Value) {
	v.Drop(name)
	v.Add(name, w)
}
