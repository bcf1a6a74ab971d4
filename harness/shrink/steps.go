package shrink

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// lists are the members that hold steps or ids of steps.
func lists() []string { return []string{"steps", "remove_steps", "update_steps", "add_steps"} }

// eachID calls f with every id in the lists of a document and in the
// dependencies of their items.
func (n *node) eachID(f func(id *node)) {
	for _, name := range lists() {
		list := n.get(name)
		if list == nil {
			continue
		}
		for _, item := range list.kids {
			if id := item.id(); id != nil {
				f(id)
			}
			if deps := item.get("dependencies"); deps != nil {
				for _, d := range deps.kids {
					if d.kind == strictjson.String {
						f(d.node)
					}
				}
			}
		}
	}
}

// id returns the id of an item of a list: the item itself, or its member.
func (n *node) id() *node {
	if n.kind != strictjson.String {
		n = n.get("id")
	}
	if n == nil || n.kind != strictjson.String {
		return nil
	}
	return n
}

// without leaves an id out of the lists of a document, and out of the
// dependencies.
func (n *node) without(id string) {
	isID := func(k kid) bool { i := k.node.id(); return i != nil && i.raw == id }
	for _, name := range lists() {
		list := n.get(name)
		if list == nil {
			continue
		}
		list.kids = slices.DeleteFunc(slices.Clone(list.kids), isID)
		for _, item := range list.kids {
			if deps := item.get("dependencies"); deps != nil {
				deps.kids = slices.DeleteFunc(slices.Clone(deps.kids), isID)
			}
		}
	}
}

// collect returns the ids of all documents as written, in the order of the
// plan, which stands last.
func collect(parts []document) []string {
	var ids []string
	for _, d := range slices.Backward(parts) {
		d.root.eachID(func(id *node) {
			if !slices.Contains(ids, id.raw) && len(ids) < maxIDs {
				ids = append(ids, id.raw)
			}
		})
	}
	return ids
}

// maxIDs bounds the ids that are looked at one by one.
const maxIDs = 500

// steps leaves steps out wherever they are named: many at once, then one by
// one.
func (s *shrinker) steps() {
	ids := collect(s.parts())
	reduce(ids, func(rest []string) bool {
		parts := s.parts()
		for _, id := range ids {
			if !slices.Contains(rest, id) {
				for _, d := range parts {
					d.root.without(id)
				}
			}
		}
		return s.tryAll(parts...)
	})
}

// ids gives steps the names a, b, c …: all at once, or else one by one.
func (s *shrinker) ids() {
	ids := collect(s.parts())
	names := make(map[string]string, len(ids))
	for i, id := range ids {
		names[id] = name(i)
	}
	if s.rename(names) {
		return
	}
	for _, id := range ids {
		if to := names[id]; !slices.Contains(ids, to) {
			s.rename(map[string]string{id: to})
		}
	}
}

// rename puts other ids for ids, both as written, in all documents at once. In
// a reply that is no document every such text in quotes counts as an id.
func (s *shrinker) rename(names map[string]string) bool {
	c := s.best
	c.Replies = slices.Clone(c.Replies)
	var pairs []string
	for _, id := range slices.Sorted(maps.Keys(names)) {
		pairs = append(pairs, id, names[id])
	}
	replacer := strings.NewReplacer(pairs...)
	for i, r := range c.Replies {
		if start, end := object(string(r)); start < 0 || parse(string(r[start:end])) == nil {
			c.Replies[i] = harness.Reply(replacer.Replace(string(r)))
		}
	}
	for _, d := range s.parts() {
		d.root.eachID(func(id *node) {
			if to, ok := names[id.raw]; ok {
				id.raw = to
			}
		})
		d.put(&c, d.root.String())
	}
	return s.try(c)
}

// name returns the i-th simple id, in quotes: a to z, then a1 and so on.
func name(i int) string {
	letter := string(rune('a' + i%26))
	if i >= 26 {
		letter += strconv.Itoa(i / 26)
	}
	return `"` + letter + `"`
}
