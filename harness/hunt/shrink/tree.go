package shrink

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

type node = strictjson.Node

// maxDepth is the depth up to which the parts of a document are shrunk.
const maxDepth = 200

// parse reads a text that is one JSON object or array; nil if it is none.
func parse(text string) *node {
	root := strictjson.NewTree(text, maxDepth)
	if root == nil || root.Kind != strictjson.Object && root.Kind != strictjson.Array {
		return nil
	}
	return root
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
			list = append(list, part{root: root, layout: s.layout, byID: byID && root.Kind == strictjson.Object, put: put})
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
	for name, value := range s.best.Documents() {
		add(string(value), s.byID(name), func(c *harness.Case, text string) {
			c.More = maps.Clone(c.More)
			c.SetDocument(name, jsontext.Value(text))
		})
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
func (s *shrinker) tryAll(list ...part) bool { return s.left > 0 && s.try(s.with(list...)) }

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
				for i := range n.Kids {
					next = append(next, &n.Kids[i])
				}
			}
			level = next
		}
	}
}

// node makes one value of a document smaller.
func (s *shrinker) node(d part, n *node) {
	switch n.Kind {
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
	old := n.Raw
	value, err := strconv.Atoi(old)
	if err != nil {
		return
	}
	for _, small := range []int{0, 1, value / 2, value - 1} {
		if n.Raw = strconv.Itoa(small); small < value && s.tryAll(d) {
			return
		}
	}
	n.Raw = old
}

// kids leaves members or items out.
func (s *shrinker) kids(d part, n *node) {
	reduce(&s.left, n.Kids, func(rest []node) bool {
		old := n.Kids
		n.Kids = rest
		if s.tryAll(d) {
			return true
		}
		n.Kids = old
		return false
	})
}

// hoist puts a container's only content in its place.
func (s *shrinker) hoist(d part, n *node) {
	for len(n.Kids) == 1 && n.Kids[0].Kids != nil {
		old := *n
		*n = old.Kids[0]
		if n.Name = old.Name; !s.tryAll(d) {
			*n = old
			return
		}
	}
}

// text shortens a string, its escapes counting as one character. One letter is as
// small as can be: an empty string may be a mistake of its own.
func (s *shrinker) text(d part, n *node) {
	if len(n.Raw) <= len(`"a"`) {
		return
	}
	short := func(rest ...string) bool {
		old := n.Raw
		n.Raw = `"` + strings.Join(rest, "") + `"`
		if s.tryAll(d) {
			return true
		}
		n.Raw = old
		return false
	}
	if letters := pieces(n.Raw[1 : len(n.Raw)-1]); !short("a") && !short("x") {
		reduce(&s.left, letters, func(rest []string) bool { return short(rest...) })
	}
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
