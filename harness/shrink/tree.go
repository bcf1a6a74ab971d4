package shrink

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// node is a JSON value that can be changed. Names and scalars stay as they
// were written: an odd escape may be what the case is about.
type node struct {
	kind strictjson.Kind
	raw  string // of a scalar
	kids []kid  // of an object or array
}

// kid is a member, or an item: then it has no name.
type kid struct {
	name string // in quotes, as written
	*node
}

// unquoted is the name without its quotes.
func (k kid) unquoted() string { return strings.Trim(k.name, `"`) }

// maxDepth is how deep a document may nest that is still taken apart.
const maxDepth = 200

// parse reads a text that is one JSON object or array; nil if it is none.
func parse(text string) *node {
	doc, err := strictjson.Parse([]byte(text), maxDepth)
	if err != nil || doc.Root.Kind != strictjson.Object && doc.Root.Kind != strictjson.Array {
		return nil
	}
	return build(&doc.Root, text)
}

func build(v *strictjson.Value, text string) *node {
	n := &node{kind: v.Kind}
	switch v.Kind {
	case strictjson.Object:
		for i := range v.Members {
			m := &v.Members[i]
			end := m.At + strings.LastIndexByte(text[m.At:m.Value.Start], '"') + 1
			n.kids = append(n.kids, kid{text[m.At:end], build(&m.Value, text)})
		}
	case strictjson.Array:
		for i := range v.Items {
			n.kids = append(n.kids, kid{"", build(&v.Items[i], text)})
		}
	default:
		n.raw = text[v.Start:v.End]
	}
	return n
}

func (n *node) String() string { return string(n.append(nil)) }

func (n *node) append(b []byte) []byte {
	if n.kind != strictjson.Object && n.kind != strictjson.Array {
		return append(b, n.raw...)
	}
	closing := byte('}')
	if n.kind == strictjson.Array {
		closing = ']'
	}
	b = append(b, byte(n.kind))
	for i, k := range n.kids {
		if i > 0 {
			b = append(b, ',')
		}
		if k.name != "" {
			b = append(append(b, k.name...), ':')
		}
		b = k.append(b)
	}
	return append(b, closing)
}

// get returns the member with that name, or nil.
func (n *node) get(name string) *node {
	for _, k := range n.kids {
		if k.name == `"`+name+`"` {
			return k.node
		}
	}
	return nil
}

// part is a part of a case that is JSON.
type part struct {
	root   *node
	layout *layout
	byID   bool // an object whose names are ids
	put    func(c *harness.Case, text string)
}

// parts returns the documents of the best case: its replies, its plan, and
// what other dialects have. A part that is no JSON is left out.
func (s *shrinker) parts() []part {
	var list []part
	add := func(text string, byID bool, put func(c *harness.Case, text string)) {
		if root := parse(text); root != nil {
			list = append(list, part{root: root, layout: s.layout, byID: byID && root.kind == strictjson.Object, put: put})
		}
	}
	for i, r := range s.best.Replies {
		start, end := object(string(r))
		if start < 0 {
			continue
		}
		before, after := r[:start], r[end:]
		add(string(r[start:end]), false, func(c *harness.Case, text string) {
			c.Replies = slices.Clone(c.Replies)
			c.Replies[i] = before + harness.Reply(text) + after
		})
	}
	for i, d := range s.best.Documents() {
		add(string(*d.Value), s.byID(d.Name), func(c *harness.Case, text string) { *c.Documents()[i].Value = jsontext.Value(text) })
	}
	return list
}

// with returns the best case with the documents as they now are.
func (s *shrinker) with(list ...part) harness.Case {
	c := s.best
	for _, d := range list {
		d.put(&c, d.root.String())
	}
	return c
}

// tryAll tries the case with the documents as they now are.
func (s *shrinker) tryAll(list ...part) bool { return s.try(s.with(list...)) }

// documents makes every document smaller: white space, then members and items
// from the outside in, then scalars.
func (s *shrinker) documents() {
	for i := range s.parts() {
		list := s.parts()
		if i >= len(list) {
			return
		}
		d := list[i]
		s.tryAll(d)
		for level := []*node{d.root}; len(level) > 0; {
			var next []*node
			for _, n := range level {
				s.node(d, n)
				for _, k := range n.kids {
					next = append(next, k.node)
				}
			}
			level = next
		}
	}
}

// node makes one value of a document smaller.
func (s *shrinker) node(d part, n *node) {
	switch n.kind {
	case strictjson.Object, strictjson.Array:
		s.kids(d, n)
		s.hoist(d, n)
	case strictjson.String:
		s.text(d, n)
	case strictjson.Number:
		s.number(d, n)
	}
}

// number tries small integers in place of a number.
func (s *shrinker) number(d part, n *node) {
	old := n.raw
	value, err := strconv.Atoi(old)
	if err != nil {
		return
	}
	for _, small := range []int{0, 1, value / 2, value - 1} {
		if n.raw = strconv.Itoa(small); small < value && s.tryAll(d) {
			return
		}
	}
	n.raw = old
}

// kids leaves members or items out.
func (s *shrinker) kids(d part, n *node) {
	reduce(n.kids, func(rest []kid) bool {
		old := n.kids
		n.kids = rest
		if s.tryAll(d) {
			return true
		}
		n.kids = old
		return false
	})
}

// hoist puts a container's only content in its place.
func (s *shrinker) hoist(d part, n *node) {
	for len(n.kids) == 1 && n.kids[0].kids != nil {
		old := *n
		*n = *old.kids[0].node
		if !s.tryAll(d) {
			*n = old
			return
		}
	}
}

// text shortens a string, its escapes counting as one character.
func (s *shrinker) text(d part, n *node) {
	reduce(pieces(n.raw[1:len(n.raw)-1]), func(rest []string) bool {
		old := n.raw
		n.raw = `"` + strings.Join(rest, "") + `"`
		if s.tryAll(d) {
			return true
		}
		n.raw = old
		return false
	})
}

// pieces cuts the inside of a JSON string into characters and escapes.
func pieces(raw string) []string {
	var list []string
	for len(raw) > 0 {
		n := 1
		if raw[0] == '\\' {
			if n = 2; raw[1] == 'u' {
				n = 6
			}
		}
		for n < len(raw) && raw[n]&0xc0 == 0x80 {
			n++
		}
		list = append(list, raw[:n])
		raw = raw[n:]
	}
	return list
}
