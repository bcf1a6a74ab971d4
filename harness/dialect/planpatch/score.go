package planpatch

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
)

// scored climbs the ladder with the first reply alone and, where that fails, with
// all of them.
func scored(c harness.Case, p harness.Profile) dialect.Scored {
	old, err := plan.Decode(c.Plan)
	if err != nil {
		return dialect.Unread(rules.Eval(c, p))
	}
	first := alone(old, c.Limits, p, c.Replies[:1])
	s := dialect.Scored{First: first.Outcome, Last: first.Outcome, Named: first.Named}
	if first.Outcome.Verdict == harness.Applied && first.Outcome.Rung != harness.RungFullPlan {
		return s // a patch that touches finished work is never applied
	}
	whole := first
	if first.Outcome.Verdict != harness.Applied && (len(c.Replies) > 1 || slices.Contains(p.Ladder, harness.RungReact)) {
		whole = rules.Replan(old, c.Limits, p, c.Replies)
		s.Last = whole.Outcome
	}
	for i, reply := range c.Replies[:max(1, whole.Read)] {
		s.Dangers = harness.AddDangers(s.Dangers, rules.Dangers(old, c.Limits, p, reply)...)
		if i > 0 && first.Outcome.Tier == harness.TierNone {
			s.Reread = s.Reread || alone(old, c.Limits, p, []harness.Reply{reply}).Outcome.Tier != harness.TierNone
		}
	}
	return s
}

// alone climbs the rungs that one reply can climb. The one for whole plans is
// tried only where the reply is another document than a patch, since it would read
// any other reply a second time for nothing.
func alone(old *plan.Plan, l harness.Limits, p harness.Profile, reply []harness.Reply) rules.Replanning {
	p.Ladder = without(p.Ladder, harness.RungRetry, harness.RungReact)
	patch := p
	if patch.Ladder = without(p.Ladder, harness.RungFullPlan); len(patch.Ladder) > 0 {
		if r := rules.Replan(old, l, patch, reply); r.Outcome.Code != harness.WrongDocument {
			return r
		}
	}
	return rules.Replan(old, l, p, reply)
}

func without(ladder []harness.Rung, rungs ...harness.Rung) []harness.Rung {
	return slices.DeleteFunc(slices.Clone(ladder), func(r harness.Rung) bool { return slices.Contains(rungs, r) })
}
