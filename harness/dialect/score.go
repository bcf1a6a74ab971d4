package dialect

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
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
	// Edit is, of a run, its first reply that was read as an edit of the plan; nil where
	// there was none. Of other dialects the first reply is the edit.
	Edit *Edit
	// Conflict reports whether the first reply names one id in two of its lists, whatever
	// the profile does about it; nil where the dialect has no lists.
	Conflict *bool
	// Lost reports that finished work was lost or changed, of a dialect whose plans have
	// no ids to find it by; of others the plans say it.
	Lost bool
	// Items are the shares of items, by the dialect's rates, that the first reply does
	// something to; nil where it could not be read.
	Items map[string]Share
	// Dangers are the demands on finished work of all replies that were read: every
	// one, not the first that refused a reply.
	Dangers []harness.Danger
}

// Edit is a reply that was read as an edit of a plan.
type Edit struct {
	Before  *plan.Plan // the plan that it edits
	Outcome harness.Outcome
	Named   []string // the steps that it says something of, if it was applied
}

// Share is how many of some items something is so of.
type Share struct{ Yes, Of int }

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

// Climb is Eval for a dialect that has no ladder of its own, with replies that come as
// they are needed, as [Tries] reads them: the outcome is that of the last one, with
// the rung of the ladder that it came to. why says for the next reply what refused
// one.
func Climb(c harness.Case, p harness.Profile, ask harness.Ask, eval func(harness.Case, harness.Profile) harness.Outcome,
	why func(harness.Outcome) *harness.Refusal,
) harness.Outcome {
	out := harness.Refuse(harness.RepliesExhausted, "the ladder read no reply").Outcome()
	var refusal *harness.Refusal
	for _, rung := range p.Ladder {
		switch rung {
		case harness.RungReact:
			out.Rung = rung
			return out
		case harness.RungFullPlan:
			continue // no reply is read as a whole plan
		}
		reply, ok := next(&c, rung, refusal, ask)
		if !ok {
			continue
		}
		one := c
		one.Replies = []harness.Reply{reply}
		if out = eval(one, p); out.Verdict == harness.Applied {
			out.Rung = rung
			return out
		}
		refusal = why(out)
	}
	return out
}

// next takes the next reply of the case, or asks for one.
func next(c *harness.Case, rung harness.Rung, why *harness.Refusal, ask harness.Ask) (harness.Reply, bool) {
	if len(c.Replies) > 0 {
		reply := c.Replies[0]
		c.Replies = c.Replies[1:]
		return reply, true
	}
	if ask == nil {
		return "", false
	}
	return ask(rung, why)
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
