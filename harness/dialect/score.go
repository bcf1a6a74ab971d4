package dialect

import (
	"slices"

	"replanbench/harness"
)

// Scored is what came of one request: of its first reply, and of the retries that
// were recorded for it. They are the replies of a case.
type Scored struct {
	// First is what came of the first reply alone, by what one reply can do.
	First harness.Outcome
	// Last is what came of all replies together. Its rung says where that ended: on
	// patch at first, on retry after one, on fullplan by falling back, on react with
	// planning given up, which is no success, and on none ("") in failure.
	Last harness.Outcome
	// Reread reports that a retry could be read and the first reply could not.
	Reread bool
	// Named are the steps of the plan that the first reply says something of, if it
	// was applied.
	Named []string
	// Dangers are the demands on finished work of all replies that were read: every
	// one, not the first that refused a reply.
	Dangers []harness.Danger
}

// Unread is a request that there is nothing to score of, since the case itself is
// refused.
func Unread(o harness.Outcome) Scored { return Scored{First: o, Last: o} }

// Tries scores a dialect that has no ladder of its own. One reply after the other
// is applied to the plan as it was, one for each rung of the ladder that reads a
// patch, until one can be applied; a ladder that ends in react gives up.
func Tries(c harness.Case, p harness.Profile, eval func(harness.Case, harness.Profile) harness.Outcome,
	dangers func(harness.Reply) []harness.Danger,
) Scored {
	alone := func(reply harness.Reply) harness.Outcome {
		one := c
		one.Replies = []harness.Reply{reply}
		return eval(one, p)
	}
	var s Scored
	for i, reply := range c.Replies[:min(len(c.Replies), max(1, tries(p.Ladder)))] {
		o := alone(reply)
		if s.Dangers = harness.AddDangers(s.Dangers, dangers(reply)...); i == 0 {
			s.First = o
		}
		s.Reread = s.Reread || s.First.Tier == harness.TierNone && o.Tier != harness.TierNone
		s.Last = o
		if o.Verdict == harness.Applied {
			s.Last.Rung = harness.RungRetry
			if i == 0 {
				s.Last.Rung = harness.RungPatch
			}
			return s
		}
	}
	if slices.Contains(p.Ladder, harness.RungReact) {
		s.Last.Rung = harness.RungReact
	}
	return s
}

// tries is how many replies a ladder reads as patches.
func tries(ladder []harness.Rung) (n int) {
	for _, r := range ladder {
		if r == harness.RungPatch || r == harness.RungRetry {
			n++
		}
	}
	return n
}
