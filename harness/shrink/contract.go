package shrink

import (
	"slices"

	"replanbench/harness/strictjson"
)

// contract leaves out one step after the other so that what depended on it
// comes to depend on what it depended on: a chain stays a chain, and a ring a
// ring.
func (s *shrinker) contract() {
	for _, id := range collect(s.parts()) {
		parts := s.parts()
		var behind []kid
		for _, d := range parts {
			behind = append(behind, d.root.behind(d.layout, id)...)
		}
		if len(behind) == 0 {
			continue // leaving it out has been tried
		}
		for _, d := range parts {
			d.root.splice("", id, behind)
			d.without(id)
		}
		s.tryFewer(parts)
	}
}

// behind returns what the step with that id depends on.
func (n *node) behind(l *layout, id string) (list []kid) {
	if deps := n.get("dependencies"); deps != nil && n.has(l, id) {
		list = append(list, deps.kids...)
	}
	for _, k := range n.kids {
		list = append(list, k.behind(l, id)...)
	}
	return list
}

// splice puts other items in the place of an id, in all dependencies.
func (n *node) splice(member, id string, items []kid) {
	is := func(raw string) func(kid) bool {
		return func(k kid) bool { return k.kind == strictjson.String && k.raw == raw }
	}
	if i := slices.IndexFunc(n.kids, is(id)); i >= 0 && member == `"dependencies"` {
		rest := slices.Delete(slices.Clone(n.kids), i, i+1)
		fresh := slices.DeleteFunc(slices.Clone(items), func(k kid) bool {
			return k.raw == id || slices.ContainsFunc(rest, is(k.raw))
		})
		n.kids = slices.Insert(rest, i, fresh...)
	}
	for _, k := range n.kids {
		k.splice(k.name, id, items)
	}
}
