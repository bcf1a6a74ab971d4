package check

import (
	"slices"
	"strings"

	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
)

// Rewrite returns the reply with something in its object changed.
func (r *Request) Rewrite(change func(*strictjson.Node)) string { return r.rewrite(change, "", "") }

func (r *Request) rewrite(change func(*strictjson.Node), before, closing string) string {
	n := r.tree()
	change(n)
	b := append(make([]byte, 0, len(r.Text)+len(r.Text)/4), r.Text[:r.Start]...)
	return string(append(n.AppendJSON(b, before, closing), r.Text[r.End:]...))
}

func (r *Request) tree() *strictjson.Node { return r.Root.Tree(r.Text[r.Start:r.End]) }

// PlainIDs reports whether no id in the request is blank or has white space
// round it.
func (r *Request) PlainIDs(l *document.Layout) bool {
	plain := true
	Rename(l, func(id string) string {
		plain = plain && id != "" && strings.TrimSpace(id) == id
		return id
	})(r.tree())
	return plain
}

// Rename returns a change that gives each id another name.
func Rename(l *document.Layout, rename func(string) string) func(*strictjson.Node) {
	id := func(n *strictjson.Node, at []string) {
		switch {
		case n.Kind != strictjson.String:
		case l.IsID(at):
			n.Raw = strictjson.Quote(rename(n.Text()))
		case l.IsAnchor(at):
			side, id, ok := strings.Cut(n.Text(), ":")
			if ok && (side == "before" || side == "after") {
				n.Raw = strictjson.Quote(side + ":" + rename(id))
			}
		}
	}
	return func(n *strictjson.Node) { n.Walk(id) }
}

// ReverseSets returns a change that reverses the lists whose order means nothing.
func ReverseSets(l *document.Layout) func(*strictjson.Node) {
	reverse := func(n *strictjson.Node, at []string) {
		if n.Kind == strictjson.Array && l.IsSet(at) {
			slices.Reverse(n.Kids)
		}
	}
	return func(n *strictjson.Node) { n.Walk(reverse) }
}

// reverseMembers reverses the members of every object.
func reverseMembers(n *strictjson.Node) {
	n.Walk(func(n *strictjson.Node, _ []string) {
		if n.Kind == strictjson.Object {
			slices.Reverse(n.Kids)
		}
	})
}
