package generators

import "slices"

// Value is a JSON value before it is written.
type Value struct {
	Json   string // written already; "" if it is one of the others
	Str    *string
	IsList bool
	Items  []Value // of a list
	Fields []Field // of an object
}

// Field is a member of an object.
type Field struct {
	Name string
	Value
}

// Raw is JSON as it is written.
func Raw(json string) Value { return Value{Json: json} }

// Text is a string.
func Text(s string) Value { return Value{Str: &s} }

// Texts is a list of strings.
func Texts(list []string) Value {
	v := Value{IsList: true}
	for _, s := range list {
		v.Items = append(v.Items, Text(s))
	}
	return v
}

// Object is an object of these members, in this order.
func Object(fields ...Field) Value { return Value{Fields: fields} }

// Add adds a member behind the others.
func (v *Value) Add(name string, w Value) { v.Fields = append(v.Fields, Field{name, w}) }

// Value writes a value.
func (w *Writer) Value(v Value) {
	switch {
	case v.Json != "":
		w.B = append(w.B, v.Json...)
	case v.Str != nil:
		w.Text(*v.Str)
	case v.IsList:
		w.Open('[')
		for _, item := range v.Items {
			w.Item()
			w.Value(item)
		}
		w.Close(']')
	default:
		w.Open('{')
		for _, f := range v.Fields {
			w.Name(f.Name)
			w.Value(f.Value)
		}
		w.Close('}')
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

// Drop takes a member out.
func (v *Value) Drop(name string) {
	v.Fields = slices.DeleteFunc(v.Fields, func(f Field) bool { return f.Name == name })
}

// Put puts a member in place of the one of that name, if there is one.
func (v *Value) Put(name string, w Value) {
	v.Drop(name)
	v.Add(name, w)
}
