package mutant

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
)

// Object is a JSON object that can be changed and written back.
type Object struct{ *strictjson.Value }

// Objects returns the well-formed outermost objects of a text. Start and End of each
// are its byte offsets.
func Objects[T ~string | ~[]byte](text T) []Object {
	return collect.Map(documents(string(text)), func(d *strictjson.Document) Object { return Object{&d.Root} })
}

func documents(text string) (list []*strictjson.Document) {
	if !utf8.ValidString(text) {
		return nil
	}
	parser := strictjson.NewParser(text)
	for i := 0; ; {
		j := strings.IndexByte(text[i:], '{')
		if j < 0 {
			return list
		}
		i += j
		doc, end, err := parser.ParseAt(i, harness.DefaultMaxDepth)
		if err != nil {
			i = max(i+1, err.(*strictjson.Error).Offset)
			continue
		}
		list = append(list, doc)
		i = end
	}
}

// Rewrite changes every object of a text that can be written back unchanged. All other
// bytes stay.
func Rewrite[T ~string | ~[]byte](text T, change func(o Object)) T {
	var b []byte
	from := 0
	for _, d := range documents(string(text)) {
		if len(d.Duplicates)+len(d.Surrogates) > 0 {
			continue
		}
		start, end := d.Root.Start, d.Root.End
		before := d.Root.AppendJSON(nil)
		change(Object{&d.Root})
		if after := d.Root.AppendJSON(nil); !bytes.Equal(before, after) {
			b = append(append(b, text[from:start]...), after...)
			from = end
		}
	}
	return T(append(b, text[from:]...))
}

// Text makes a string.
func Text(s string) strictjson.Value { return strictjson.Value{Kind: strictjson.String, Text: s} }

// Texts makes a list of strings.
func Texts(texts ...string) strictjson.Value {
	v := strictjson.Value{Kind: strictjson.Array}
	for _, t := range texts {
		v.Items = append(v.Items, Text(t))
	}
	return v
}

// Number makes a number.
func Number(n int) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Number, Text: strconv.Itoa(n)}
}

// Says reports whether a member has one of the texts.
func (o Object) Says(name string, texts ...string) bool {
	v := o.Get(name)
	return v != nil && slices.Contains(texts, v.Text)
}

// Says reports whether a member has a value other than null and [].
func Says(v *strictjson.Value) bool {
	return v != nil && v.Kind != strictjson.Null && (v.Kind != strictjson.Array || len(v.Items) > 0)
}

// Text returns the text of a member, or "" if it is not a string.
func (o Object) Text(name string) string { return o.Get(name).Str() }

// Inner returns the member that is an object.
func (o Object) Inner(name string) (inner Object, ok bool) {
	v := o.Get(name)
	return Object{v}, v != nil && v.Kind == strictjson.Object
}

// Set sets a member, or adds it.
func (o Object) Set(name string, v strictjson.Value) {
	if m := o.Get(name); m != nil {
		*m = v
		return
	}
	o.Members = append(o.Members, strictjson.Member{Name: name, Value: v})
}

// Drop removes members.
func (o Object) Drop(names ...string) {
	o.Members = slices.DeleteFunc(o.Members, func(m strictjson.Member) bool { return slices.Contains(names, m.Name) })
}

// Keep removes all other members.
func (o Object) Keep(names ...string) {
	o.Members = slices.DeleteFunc(o.Members, func(m strictjson.Member) bool { return !slices.Contains(names, m.Name) })
}

// Items returns the objects in the lists of those names.
func (o Object) Items(names ...string) (list []Object) {
	for _, name := range names {
		for v := range o.Values(name) {
			if v.Kind == strictjson.Object {
				list = append(list, Object{v})
			}
		}
	}
	return list
}

// Values yields the values of a list for changes in place.
func (o Object) Values(name string) iter.Seq[*strictjson.Value] {
	return func(yield func(*strictjson.Value) bool) {
		l := o.Get(name)
		for i := 0; l != nil && i < len(l.Items); i++ {
			if !yield(&l.Items[i]) {
				return
			}
		}
	}
}

// Filter removes the items of a list for which gone is true, and returns
// them.
func (o Object) Filter(name string, gone func(v *strictjson.Value) bool) (out []strictjson.Value) {
	if l := o.Get(name); l != nil {
		l.Items = slices.DeleteFunc(l.Items, func(v strictjson.Value) bool {
			if !gone(&v) {
				return false
			}
			out = append(out, v)
			return true
		})
	}
	return out
}

// Cut keeps at most n items of a list.
func (o Object) Cut(name string, n int) {
	if l := o.Get(name); l != nil && len(l.Items) > n {
		l.Items = l.Items[:n]
	}
}

// Move appends items to a list, if there are any.
func (o Object) Move(name string, items []strictjson.Value) {
	if len(items) == 0 {
		return
	}
	l := Texts()
	if have := o.Get(name); have != nil {
		l.Items = have.Items
	}
	l.Items = append(l.Items, items...)
	o.Set(name, l)
}

// ID returns the trimmed id of an item: of an object its member, of a string
// itself.
func ID(v *strictjson.Value) string {
	if v.Kind == strictjson.Object {
		if v = v.Get("id"); v == nil {
			return ""
		}
	}
	return strings.TrimSpace(v.Text)
}

// IDs returns the trimmed ids of a list.
func (o Object) IDs(name string) (list []string) {
	for v := range o.Values(name) {
		list = append(list, ID(v))
	}
	return list
}

// Has reports whether a list names an id.
func (o Object) Has(list, id string) bool { return slices.Contains(o.IDs(list), id) }
