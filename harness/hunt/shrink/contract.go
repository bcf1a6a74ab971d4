package shrink

import (
	"slices"
)

// contract leaves out one step after the other so that what depended on it
// comes to depend on what it depended on: a chain stays a chain, and a ring a
// ring.
func (s *shrinker) contract() {
	whole, of := s.parts(), s.size
	for _, id := range collect(whole) {
		if s.left == 0 {
			return
		}
		if of != s.size {
			whole, of = s.parts(), s.size
		}
		if len(allBehind(whole, id)) == 0 {
			continue // leaving it out has been tried
		}
		parts := s.parts()
		after := allBehind(parts, id)
		for _, d := range parts {
			splice(d.root, id, after)
			d.without(id)
		}
		s.tryFewer(parts)
	}
}

// allBehind returns what the step with that id depends on in any part.
func allBehind(parts []part, id string) (list []node) {
	for _, d := range parts {
		list = append(list, behind(d.root, d.layout, id)...)
	}
	return list
}

// behind returns what the step with that id depends on.
func behind(n *node, l *layout, id string) (list []node) {
	if deps := n.Get("dependencies"); deps != nil && has(n, l, id) {
		list = append(list, deps.Kids...)
	}
	for i := range n.Kids {
		list = append(list, behind(&n.Kids[i], l, id)...)
	}
	return list
}

// splice puts other items in the place of an id, in all dependencies.
func splice(n *node, id string, items []node) {
	isID := func(k node) bool { return is(&k, id) }
	if i := slices.IndexFunc(n.Kids, isID); i >= 0 && n.Key() == "dependencies" {
		rest := slices.Delete(slices.Clone(n.Kids), i, i+1)
		fresh := slices.DeleteFunc(slices.Clone(items), func(k node) bool {
			return k.Raw == id || slices.ContainsFunc(rest, func(r node) bool { return is(&r, k.Raw) })
		})
		n.Kids = slices.Insert(rest, i, fresh...)
	}
	for i := range n.Kids {
		splice(&n.Kids[i], id, items)
	}
}
