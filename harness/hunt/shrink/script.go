package shrink

import (
	"slices"

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
