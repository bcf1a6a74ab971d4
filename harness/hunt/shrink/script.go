package shrink

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// script leaves out of a run what goes only together: a step and the reply that
// ends it, or the result of a tool and the reply that calls it.
func (s *shrinker) script() {
	if !s.scripted {
		return
	}
	for _, id := range collect(s.parts()) {
		s.withoutReply(func() harness.Case {
			parts := s.parts()
			for _, d := range parts {
				d.without(id)
			}
			return s.with(parts...)
		})
	}
	c := s.best
	if c.Verify = nil; s.try(c) {
		c = s.best
	}
	if c.Tools = nil; s.try(c) {
		return
	}
	for i := 0; i < len(s.items(s.best)); {
		if !s.withoutReply(func() harness.Case { return s.withoutItem(i) }) {
			i++
		}
	}
}

// items are the results of tools in a case.
func (s *shrinker) items(c harness.Case) []node {
	if tools := parse(string(c.Tools)); tools != nil {
		return tools.Kids
	}
	return nil
}

// withoutItem is the smallest case so far without the i-th result of a tool.
func (s *shrinker) withoutItem(i int) harness.Case {
	c := s.best
	tools := parse(string(c.Tools))
	tools.Kids = slices.Delete(tools.Kids, i, i+1)
	c.Tools = []byte(tools.String())
	return c
}

// withoutReply tries what a change makes of the smallest case so far, without
// one of its replies. Of equal ones behind each other one is enough to try. The
// place of an interrupt moves with the events that are gone.
func (s *shrinker) withoutReply(change func() harness.Case) bool {
	for k := range s.best.Replies {
		if k > 0 && s.best.Replies[k] == s.best.Replies[k-1] {
			continue
		}
		c := change()
		if k >= len(c.Replies) {
			return false
		}
		c.Replies = slices.Delete(slices.Clone(c.Replies), k, k+1)
		for _, gone := range []int{0, 1, 2} {
			if n := s.best.InterruptAfter; gone > 0 && (n == nil || *n <= gone) {
				break
			} else if gone > 0 {
				c.InterruptAfter = new(*n - gone)
			}
			if s.try(c) {
				return true
			}
		}
	}
	return false
}

// budgets lowers the budget that a history has to meet, so that fewer messages
// are enough to fill it.
func (s *shrinker) budgets() {
	root := parse(string(s.best.Budget))
	if root == nil {
		return
	}
	limit := root.Get("max_tokens")
	if limit == nil {
		return
	}
	for {
		n, err := strconv.Atoi(limit.Raw)
		if err != nil || !s.lowerBudget(root, limit, n) {
			return
		}
	}
}

// lowerBudget tries smaller budgets, the boldest first; the one that keep
// accepts stays.
func (s *shrinker) lowerBudget(root, limit *node, n int) bool {
	for _, smaller := range []int{1, n / 10, n / 2, n * 3 / 4, n * 9 / 10, n - 1} {
		if smaller < 1 || smaller >= n {
			continue
		}
		limit.Raw = strconv.Itoa(smaller)
		c := s.best
		if c.Budget = jsontext.Value(root.String()); s.try(c) {
			return true
		}
	}
	limit.Raw = strconv.Itoa(n)
	return false
}

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
