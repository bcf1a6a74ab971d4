package planpatch

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
)

// scored evaluates the first reply alone and, if that fails, the ladder with all replies.
func scored(c harness.Case, old *plan.Plan, p harness.Profile) dialect.Scored {
	if old == nil {
		return dialect.Unread(rules.Eval(c, p))
	}
	g := rules.NewGround(old, c.Limits, p)
	defer g.Release()
	first := alone(g, p.Ladder, c.Replies[:1])
	s := dialect.Scored{First: first.Outcome, Last: first.Outcome, Named: first.Named}
	conflict := conflicts(g, first.Outcome, c.Replies[0])
	s.Conflict = &conflict
	if first.Outcome.Verdict == harness.Applied && first.Outcome.Rung != harness.RungFullPlan {
		return s // an applied patch never touches finished steps
	}
	whole := first
	if first.Outcome.Verdict != harness.Applied && (len(c.Replies) > 1 || slices.Contains(p.Ladder, harness.RungReact)) {
		whole = g.Climb(p.Ladder, c.Replies)
		s.Last = whole.Outcome
	}
	for i, reply := range c.Replies[:max(1, whole.Read)] {
		s.Dangers = harness.AddDangers(s.Dangers, g.Dangers(reply)...)
		if i > 0 && first.Outcome.Tier == harness.TierNone {
			s.Reread = s.Reread || alone(g, p.Ladder, []harness.Reply{reply}).Outcome.Tier != harness.TierNone
		}
	}
	return s
}

// conflicts reports whether the first reply names one id in two lists, which the repairs of an applied reply record.
func conflicts(g *rules.Ground, o harness.Outcome, reply harness.Reply) bool {
	if o.Verdict != harness.Applied {
		return g.Conflict(reply)
	}
	return slices.ContainsFunc(o.Repairs, func(r harness.Repair) bool { return rules.SettlesConflict(r.Rule) })
}

// alone evaluates one reply on the rungs that it can reach. It tries a full plan only if the reply is no patch, because
// that rung would read any other reply twice.
func alone(g *rules.Ground, ladder []harness.Rung, reply []harness.Reply) rules.Replanning {
	ladder = without(ladder, harness.RungRetry, harness.RungReact)
	if patch := without(ladder, harness.RungFullPlan); len(patch) > 0 {
		if r := g.Climb(patch, reply); r.Outcome.Code != harness.WrongDocument {
			return r
		}
	}
	return g.Climb(ladder, reply)
}

func without(ladder []harness.Rung, rungs ...harness.Rung) []harness.Rung {
	return slices.DeleteFunc(slices.Clone(ladder), func(r harness.Rung) bool { return slices.Contains(rungs, r) })
}
