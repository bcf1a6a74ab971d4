package mutant

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// Object is a JSON object that can be changed and written back.
type Object struct{ *strictjson.Value }

// Objects finds the well-formed objects of a text that stand outside any other.
// Start and End of each say where it stands.
func Objects[T ~string | ~[]byte](text T) (list []Object) {
	for _, d := range documents(string(text)) {
		list = append(list, Object{&d.Root})
	}
	return list
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

// Rewrite changes every object of a text that can be written back as it was.
// change reports whether it did.
func Rewrite[T ~string | ~[]byte](text T, change func(o Object) bool) T {
	var b []byte
	from := 0
	for _, d := range documents(string(text)) {
		start, end := d.Root.Start, d.Root.End
		if len(d.Duplicates)+len(d.Surrogates) > 0 || !change(Object{&d.Root}) {
			continue
		}
		b = d.Root.AppendJSON(append(b, text[from:start]...))
		from = end
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

// Text is the text of a member; "" if it is no string.
func (o Object) Text(name string) string {
	if v := o.Get(name); v != nil && v.Kind == strictjson.String {
		return v.Text
	}
	return ""
}

// Object returns the member that is an object.
func (o Object) Object(name string) (inner Object, ok bool) {
	v := o.Get(name)
	return Object{v}, v != nil && v.Kind == strictjson.Object
}

// Set gives a member a value, and adds it if it is not there.
func (o Object) Set(name string, v strictjson.Value) {
	if m := o.Get(name); m != nil {
		*m = v
		return
	}
	o.Members = append(o.Members, strictjson.Member{Name: name, Value: v})
}

// Drop takes members away, and reports whether there were any.
func (o Object) Drop(names ...string) bool {
	return o.drop(func(name string) bool { return slices.Contains(names, name) })
}

// Keep takes all other members away, and reports whether there were any.
func (o Object) Keep(names ...string) bool {
	return o.drop(func(name string) bool { return !slices.Contains(names, name) })
}

func (o Object) drop(gone func(name string) bool) bool {
	n := len(o.Members)
	o.Members = slices.DeleteFunc(o.Members, func(m strictjson.Member) bool { return gone(m.Name) })
	return len(o.Members) < n
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

// Values yields what is in a list, to be changed in place.
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

// Filter takes those items out of a list for which gone is true, and reports
// whether there were any.
func (o Object) Filter(name string, gone func(v *strictjson.Value) bool) bool {
	l := o.Get(name)
	if l == nil {
		return false
	}
	n := len(l.Items)
	l.Items = slices.DeleteFunc(l.Items, func(v strictjson.Value) bool { return gone(&v) })
	return len(l.Items) < n
}

// Move appends items to a list, and reports whether there are any.
func (o Object) Move(name string, items []strictjson.Value) bool {
	if len(items) == 0 {
		return false
	}
	l := Texts()
	if have := o.Get(name); have != nil {
		l.Items = have.Items
	}
	l.Items = append(l.Items, items...)
	o.Set(name, l)
	return true
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
