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
func Texts(list []string) Value { return texts(list, slices.Grow([]Value(nil), len(list))) }

func texts(list []string, items []Value) Value {
	for _, s := range list {
		items = append(items, Text(s))
	}
	return List(items...)
}

// Slab has the memory of values that are not used any more when it is reset. Its zero value is ready to use.
type Slab struct {
	fields []Field
	items  []Value
}

// Reset takes the memory of all values of the slab for others.
func (s *Slab) Reset() { s.fields, s.items = s.fields[:0], s.items[:0] }

// Texts is [Texts] in the slab.
func (s *Slab) Texts(list []string) Value { return texts(list, s.Items(len(list))) }

// Items returns room for n items; nil for none.
func (s *Slab) Items(n int) []Value { return cut(&s.items, n) }

// Fields returns room for n members; nil for none.
func (s *Slab) Fields(n int) []Field { return cut(&s.fields, n) }

// cut takes room for n from the rest of a list.
func cut[T any](list *[]T, n int) []T {
	const atOnce, most = 128, 4096
	if n == 0 {
		return nil
	}
	if cap(*list)-len(*list) < n {
		*list = make([]T, 0, max(n, min(2*cap(*list), most), atOnce))
	}
	from := len(*list)
	*list = (*list)[:from+n]
	return (*list)[from : from : from+n]
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
func (v Value) Encode(s Style) []byte { return v.Append(nil, s) }

// Append appends what [Value.Encode] returns.
func (v Value) Append(b []byte, s Style) []byte {
	w := newWriter(s)
	defer w.release()
	w.value(&v)
	return append(b, w.b...)
}

// Text is [Value.Encode] as a text.
func (v Value) Text(s Style) string {
	w := newWriter(s)
	defer w.release()
	w.value(&v)
	return string(w.b)
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
