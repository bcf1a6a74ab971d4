package generators

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is a JSON value before it is written.
type Value struct {
	Json   string // JSON text; "" if another member is set
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

// Raw returns a value with the given JSON text.
func Raw(json string) Value { return Value{Json: json} }

// Text returns a string.
func Text(s string) Value { return Value{Str: &s} }

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

// Object returns an object with these members in this order.
func Object(fields ...Field) Value { return Value{Fields: fields} }

// Add appends a member.
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

// Drop removes a member.
func (v *Value) Drop(name string) {
	v.Fields = slices.DeleteFunc(v.Fields, func(f Field) bool { return f.Name == name })
}

// Put removes the member of that name, if any, and appends the new one.
func (v *Value) Put(name string, w Value) {
	v.Drop(name)
	v.Add(name, w)
}

// Parse decodes a strict JSON document, whose members keep their order.
func Parse(text string) (Value, bool) {
	d := jsontext.NewDecoder(bytes.NewBufferString(text))
	v, err := parse(d)
	return v, err == nil && len(bytes.TrimSpace(d.UnreadBuffer())) == 0
}

func parse(d *jsontext.Decoder) (v Value, err error) {
	switch d.PeekKind() {
	case jsontext.KindBeginObject:
		err = each(d, func() error {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			field := Field{Name: name.String()}
			field.Value, err = parse(d)
			v.Fields = append(v.Fields, field)
			return err
		})
	case jsontext.KindBeginArray:
		v.IsList = true
		err = each(d, func() error {
			item, err := parse(d)
			v.Items = append(v.Items, item)
			return err
		})
	case jsontext.KindString:
		token, err := d.ReadToken()
		if err != nil {
			return v, err
		}
		return Text(token.String()), nil
	default:
		raw, err := d.ReadValue()
		return Raw(string(raw)), err
	}
	return v, err
}

// each reads the elements between two brackets.
func each(d *jsontext.Decoder, element func() error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for k := d.PeekKind(); k != jsontext.KindEndObject && k != jsontext.KindEndArray; k = d.PeekKind() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}
