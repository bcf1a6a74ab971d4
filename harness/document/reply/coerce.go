package reply

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
)

// The rules of coercing, as repair records name them.
const (
	ruleJSONString      = "json_string"
	ruleOneElementArray = "one_element_array"
	ruleWrapper         = "wrapper"
	ruleWrappedList     = "wrapped_list"
	ruleStrippedMember  = "stripped_member"
	ruleBareArray       = "bare_array"
	ruleNumberID        = "number_id"
)

// coerce brings a value nearer to the wanted shape, each rule once and in this
// order: a JSON string is decoded, a one-element array opened, a wrapper
// opened, a lone value in place of a list made a list, unknown members
// stripped. It reports whether the result is an object.
func (f *extractor) coerce(c *candidate) bool {
	doc := strictjson.Document{
		Root: c.doc.Root, Duplicates: slices.Clip(c.doc.Duplicates),
		Surrogates: slices.Clip(c.doc.Surrogates),
	}
	c.doc = &doc // another tier may look at the same one
	c.repairs = append([]harness.Repair(nil), c.repairs...)
	if c.root.Kind == strictjson.String && f.unquote(c, c.root.Text, strictjson.Object, strictjson.Array) {
		c.record(ruleJSONString)
	}
	if c.root.Kind == strictjson.Array {
		f.open(c)
	}
	if c.root.Kind != strictjson.Object {
		return false
	}
	if !claims(f.shape, c.root) && f.unwrap(c) {
		c.record(ruleWrapper)
	}
	c.root = c.shape(f.shape, c.root, "", f.opt.MaxDepth)
	return true
}

// open makes the candidate the object that a list of one holds, or one with the
// list that the array abbreviates.
func (f *extractor) open(c *candidate) {
	bare := f.shape.Bare
	switch {
	case bare != "" && !c.whole && !f.fenced(*c):
	case len(c.root.Items) == 1 && (bare == "" || c.root.Items[0].Get(bare) != nil):
		c.root, c.prefix = &c.root.Items[0], c.prefix+"/0"
		c.record(ruleOneElementArray)
	case bare != "":
		list := strictjson.Member{Name: bare, At: c.root.Start, Value: *c.root}
		c.root = &strictjson.Value{
			Kind: strictjson.Object, Members: []strictjson.Member{list}, Start: c.root.Start,
			End: c.root.End,
		}
		c.within = "/" + strictjson.Escape(bare)
		c.record(ruleBareArray)
	}
}

func (c *candidate) record(rule string, ids ...string) {
	c.repairs = append(c.repairs, harness.Repair{Rule: rule, IDs: ids})
}

// unquote makes the candidate the JSON value that a string holds, if it is of
// one of these kinds.
func (f *extractor) unquote(c *candidate, text string, kinds ...strictjson.Kind) bool {
	inner := newExtractor(text, f.opt, f.shape, strictjson.NewParser)
	s := scan{extractor: &inner, repair: f.opt.Reading.Repair, arrays: true}
	s.one()
	if len(s.found) != 1 || !slices.Contains(kinds, s.found[0].root.Kind) {
		return false
	}
	in := s.found[0]
	// A mistake around the string has no place in the document.
	for _, p := range c.doc.Surrogates {
		in.doc.Surrogates = append(in.doc.Surrogates, strictjson.Place{Offset: p.Offset})
	}
	for _, p := range c.doc.Duplicates {
		in.doc.Duplicates = append(in.doc.Duplicates, strictjson.Place{Name: p.Name, Offset: p.Offset})
	}
	c.doc, c.root, c.prefix, c.origin = in.doc, in.root, "", nil
	c.repairs = append(c.repairs, in.repairs...)
	return true
}

// unwrap opens an object that contains the document: as the arguments of a tool call, or
// as the only member that is an object.
func (f *extractor) unwrap(c *candidate) bool {
	for _, name := range []string{"args", "arguments", "input"} {
		switch v := c.root.Get(name); {
		case v == nil:
		case v.Kind == strictjson.Object:
			c.root, c.prefix = v, c.prefix+"/"+name
			return true
		case v.Kind == strictjson.String && f.unquote(c, v.Text, strictjson.Object):
			return true
		}
	}
	var only *strictjson.Member
	for i := range c.root.Members {
		if m := &c.root.Members[i]; m.Value.Kind == strictjson.Object {
			if only != nil {
				return false
			}
			only = m
		}
	}
	if only == nil {
		return false
	}
	c.root, c.prefix = &only.Value, c.prefix+"/"+strictjson.Escape(only.Name)
	return true
}

// shape returns the object with lists where the shape wants them and without
// the members that it does not know. at is the object's pointer.
func (c *candidate) shape(d *document.Value, v *strictjson.Value, at string, maxDepth int) *strictjson.Value {
	out := *v
	out.Members = make([]strictjson.Member, 0, len(v.Members))
	choice := chosen(d, v)
	for _, m := range v.Members {
		if !knows(d, m.Name, choice) {
			c.record(ruleStrippedMember, m.Name)
			continue
		}
		if declared := d.Member(m.Name); declared != nil {
			m.Value = c.member(&declared.Value, m, at, maxDepth)
		}
		out.Members = append(out.Members, m)
	}
	return &out
}

// member returns the value of a member in the declared shape.
func (c *candidate) member(d *document.Value, m strictjson.Member, at string, maxDepth int) strictjson.Value {
	if d.Kind == document.ListKind {
		m.Value = c.list(m, at, maxDepth, d.Lone)
		if m.Value.Kind == strictjson.Array && (d.Item.Members != nil || d.Item.Of != nil) {
			m.Value = c.items(d.Item, m.Value, at+"/"+m.Name, maxDepth)
		}
	}
	if d.Digits && m.Value.Kind == strictjson.Number && isDigits(m.Value.Text) {
		m.Value.Kind = strictjson.String
		c.record(ruleNumberID, m.Value.Text)
	}
	return m.Value
}

func isDigits(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// list makes a lone value a list of one. A string that is itself a JSON list
// (a frequent slip of tool calls) is decoded instead. lone says that no other
// value than an object becomes a list, be it in a string.
func (c *candidate) list(m strictjson.Member, at string, maxDepth int, lone bool) strictjson.Value {
	v := m.Value
	if v.Kind == strictjson.String {
		doc, err := strictjson.Parse([]byte(strings.TrimSpace(v.Text)), maxDepth)
		if err == nil && (doc.Root.Kind == strictjson.Array || lone && doc.Root.Kind == strictjson.Object) {
			c.record(ruleJSONString, m.Name)
			c.adopt(doc, c.prefix+at+"/"+m.Name, v.Start)
			v = standAt(doc.Root, v.Start, v.End)
		}
	}
	if v.Kind == strictjson.Array || v.Kind == strictjson.Null || lone && v.Kind != strictjson.Object {
		return v
	}
	c.record(ruleWrappedList, m.Name)
	return strictjson.Value{Kind: strictjson.Array, Items: []strictjson.Value{v}, Start: v.Start, End: v.End}
}

// adopt adds the faults in the text of a string to the faults of the document. at is the
// string's pointer in the document.
func (c *candidate) adopt(doc *strictjson.Document, at string, offset int) {
	for _, p := range doc.Surrogates {
		c.doc.Surrogates = append(c.doc.Surrogates, strictjson.Place{Pointer: at + p.Pointer, Offset: offset})
	}
	for _, p := range doc.Duplicates {
		c.doc.Duplicates = append(c.doc.Duplicates, strictjson.Place{Pointer: at + p.Pointer, Name: p.Name, Offset: offset})
	}
}

// standAt returns the value with the offsets of a string of the reply, and so all values
// in it.
func standAt(v strictjson.Value, start, end int) strictjson.Value {
	v.Start, v.End = start, end
	for i := range v.Items {
		v.Items[i] = standAt(v.Items[i], start, end)
	}
	for i := range v.Members {
		v.Members[i].Value = standAt(v.Members[i].Value, start, end)
	}
	return v
}

func (c *candidate) items(item *document.Value, v strictjson.Value, at string, maxDepth int) strictjson.Value {
	items := make([]strictjson.Value, len(v.Items))
	for i := range v.Items {
		items[i] = v.Items[i]
		if items[i].Kind == strictjson.Object {
			items[i] = *c.shape(item, &v.Items[i], fmt.Sprintf("%s/%d", at, i), maxDepth)
		}
	}
	v.Items = items
	return v
}
