package dialect

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// Scored is the evaluation of one request: of its first reply and of the retries
// recorded for it.
type Scored struct {
	// First is the outcome of the first reply alone.
	First harness.Outcome
	// Last is the outcome of all replies. Its rung says where the request ended: on
	// patch at once, on retry after a retry, on fullplan after a fallback, on react when
	// planning was abandoned (not a success), and "" after a failure.
	Last harness.Outcome
	// Reread reports that a retry could be read although the first reply could not.
	Reread bool
	// Named are the steps of the plan that the first reply names, if it
	// was applied.
	Named []string
	// Edit is the first reply of a run that was read as an edit of the plan; nil if
	// there is none. In other dialects the first reply is the edit.
	Edit *Edit
	// Conflict reports whether the first reply names one id in two of its lists, whatever
	// the profile does about it; nil if the dialect has no lists.
	Conflict *bool
	// Lost reports that finished work was lost or changed, in a dialect whose plans have
	// no ids. In other dialects the plans show it.
	Lost bool
	// Items are the shares of items, by the dialect's rates, that the first reply
	// affects; nil if it could not be read.
	Items map[string]Share
	// Similar reports that Items and Dangers match items by similar text, because the items
	// have no ids.
	Similar bool
	// Dangers are all demands on finished work in all replies that were read,
	// including demands after the first error.
	Dangers []harness.Danger
}

// Edit is a reply that was read as an edit of a plan.
type Edit struct {
	Before  *plan.Plan // the plan before the edit
	Outcome harness.Outcome
	Named   []string // the steps that it names, if it was applied
}

// Share is a count out of a total.
type Share struct{ Yes, Of int }

// Shares are shares by name.
type Shares map[string]Share

// Count counts one more of the total, and of the count if it is so.
func (s Shares) Count(name string, yes bool) {
	one := s[name]
	if one.Of++; yes {
		one.Yes++
	}
	s[name] = one
}

// Unread returns the evaluation of a request whose case itself is
// rejected.
func Unread(o harness.Outcome) Scored { return Scored{First: o, Last: o} }

// Tries scores a dialect without a ladder. One reply after the other
// is applied to the original plan, one for each rung of the ladder that reads a
// patch, until one can be applied. A ladder that ends in react abandons planning.
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

// Climb is Eval for a dialect without a ladder, with replies on demand,
// in the order of [Tries]. It returns the outcome of the last reply, with
// the reached rung of the ladder. The next request has the reason of a rejection, and what more,
// which may be nil, adds to its message.
func Climb(eval func(harness.Case, harness.Profile) harness.Outcome, more func(harness.Outcome) string,
) func(harness.Case, harness.Profile, harness.Ask) harness.Outcome {
	return func(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
		out := harness.Refuse(harness.RepliesExhausted, "the ladder read no reply").Outcome()
		var refusal *harness.Refusal
		for _, rung := range p.Ladder {
			switch rung {
			case harness.RungReact:
				out.Rung = rung
				return out
			case harness.RungFullPlan:
				continue // no reply is read as a full plan
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
			refusal = &harness.Refusal{Code: out.Code, At: out.At, Message: strings.TrimSpace(out.Message)}
			if more != nil {
				refusal.Message += more(out)
			}
		}
		return out
	}
}

// next returns the next reply of the case, or requests one.
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

// tries returns the number of replies that a ladder reads as patches.
func tries(ladder []harness.Rung) int {
	return collect.Count(ladder, func(r harness.Rung) bool { return r == harness.RungPatch || r == harness.RungRetry })
}
