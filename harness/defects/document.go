package defects

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// object is a JSON object in a reply, which can be changed and written back.
type object struct{ *strictjson.Value }

// span is where an object stands in a text.
type span struct {
	start, end int
	doc        *strictjson.Document
}

// objects finds the well-formed objects of a text that stand outside any other.
func objects(text string) (list []span) {
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
		list = append(list, span{i, end, doc})
		i = end
	}
}

// rewrite changes every object of a text that can be written back as it was.
func rewrite(text string, change func(o object) bool) string {
	var b []byte
	from := 0
	for _, s := range objects(text) {
		if len(s.doc.Duplicates)+len(s.doc.Surrogates) > 0 || !change(object{&s.doc.Root}) {
			continue
		}
		b = append(b, text[from:s.start]...)
		b = appendJSON(b, &s.doc.Root)
		from = s.end
	}
	return string(append(b, text[from:]...))
}

func appendJSON(b []byte, v *strictjson.Value) []byte {
	switch v.Kind {
	case strictjson.Object:
		b = append(b, '{')
		for i := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b, _ = jsontext.AppendQuote(b, v.Members[i].Name)
			b = appendJSON(append(b, ':'), &v.Members[i].Value)
		}
		return append(b, '}')
	case strictjson.Array:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, &v.Items[i])
		}
		return append(b, ']')
	case strictjson.String:
		b, _ = jsontext.AppendQuote(b, v.Text)
		return b
	case strictjson.Null:
		return append(b, "null"...)
	}
	return append(b, v.Text...)
}

func textValue(s string) strictjson.Value { return strictjson.Value{Kind: strictjson.String, Text: s} }

func listValue(texts ...string) strictjson.Value {
	v := strictjson.Value{Kind: strictjson.Array}
	for _, t := range texts {
		v.Items = append(v.Items, textValue(t))
	}
	return v
}

// set gives a member a value, and adds it if it is not there.
func (o object) set(name string, v strictjson.Value) {
	if m := o.Get(name); m != nil {
		*m = v
		return
	}
	o.Members = append(o.Members, strictjson.Member{Name: name, Value: v})
}

// drop takes the members away for which gone is true, and reports whether
// there were any.
func (o object) drop(gone func(name string) bool) bool {
	n := len(o.Members)
	o.Members = slices.DeleteFunc(o.Members, func(m strictjson.Member) bool { return gone(m.Name) })
	return len(o.Members) < n
}

// items returns the objects in the lists of that names.
func (o object) items(names ...string) (list []object) {
	for _, name := range names {
		if l := o.Get(name); l != nil {
			for i := range l.Items {
				if l.Items[i].Kind == strictjson.Object {
					list = append(list, object{&l.Items[i]})
				}
			}
		}
	}
	return list
}

// filter takes those items out of a list for which gone is true, and reports
// whether there were any.
func (o object) filter(name string, gone func(v *strictjson.Value) bool) bool {
	l := o.Get(name)
	if l == nil {
		return false
	}
	n := len(l.Items)
	l.Items = slices.DeleteFunc(l.Items, func(v strictjson.Value) bool { return gone(&v) })
	return len(l.Items) < n
}

// idOf returns the trimmed id of an item: of an object its member, of a string
// itself.
func idOf(v *strictjson.Value) string {
	if v.Kind == strictjson.Object {
		if v = v.Get("id"); v == nil {
			return ""
		}
	}
	return strings.TrimSpace(v.Text)
}

// ids returns the trimmed ids of a list.
func (o object) ids(name string) (list []string) {
	if l := o.Get(name); l != nil {
		for i := range l.Items {
			list = append(list, idOf(&l.Items[i]))
		}
	}
	return list
}

// has reports whether a list names a step.
func (o object) has(list, id string) bool { return slices.Contains(o.ids(list), id) }

// move appends items to a list of the object.
func (o object) move(name string, items []strictjson.Value) bool {
	if len(items) == 0 {
		return false
	}
	l := listValue()
	if have := o.Get(name); have != nil {
		l.Items = have.Items
	}
	l.Items = append(l.Items, items...)
	o.set(name, l)
	return true
}

// references calls f with every string that names a step.
func (o object) references(f func(v *strictjson.Value)) {
	if l := o.Get("remove_steps"); l != nil {
		for i := range l.Items {
			f(&l.Items[i])
		}
	}
	for _, item := range o.items("update_steps", "add_steps", "steps") {
		if v := item.Get("id"); v != nil {
			f(v)
		}
		if l := item.Get("dependencies"); l != nil {
			for i := range l.Items {
				f(&l.Items[i])
			}
		}
	}
}

// written finds the item that the replies wrote of a step; of several the last.
func written(c harness.Case, step string) (found object, ok bool) {
	for _, r := range c.Replies {
		for _, s := range objects(string(r)) {
			for _, item := range (object{&s.doc.Root}).items("update_steps", "add_steps", "steps") {
				if idOf(item.Value) == strings.TrimSpace(step) {
					found, ok = item, true
				}
			}
		}
	}
	return found, ok
}

// first returns the first object of the first reply.
func first(c harness.Case) (object, bool) {
	if len(c.Replies) == 0 {
		return object{}, false
	}
	if list := objects(string(c.Replies[0])); len(list) > 0 {
		return object{&list[0].doc.Root}, true
	}
	return object{}, false
}

// stands returns the step of the plan that an id in a reply means, or nil.
func stands(p *plan.Plan, id string) *plan.Step {
	for i := range p.Steps {
		if strings.TrimSpace(p.Steps[i].ID) == strings.TrimSpace(id) {
			return &p.Steps[i]
		}
	}
	return nil
}

// withPlan returns the case with another plan.
func withPlan(c harness.Case, p *plan.Plan) harness.Case {
	if b, err := json.Marshal(p); err == nil {
		c.Plan = b
	}
	return c
}
