package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Climb is [Eval] with replies on demand: after the replies of
// the case, it requests one whenever a rung needs a reply and none is
// left. The outcome equals Eval with all of these replies in the case.
func Climb(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
	old, err := plan.Decode(c.Plan)
	g := NewGround(old, c.Limits, p)
	defer g.Release()
	switch {
	case g.refusal != nil:
		return refused(g.refusal)
	case err != nil:
		return refused(harness.Refuse(harness.InvalidPlan, "the plan is unsound: %s", err))
	}
	l := newLadder(g, slices.Clip(c.Replies))
	l.ask = ask
	return l.climb()
}

// more reports whether there is an unread reply for a rung. Without
// one it requests a reply.
func (l *ladder) more(rung harness.Rung) bool {
	if l.next < len(l.replies) {
		return true
	}
	if l.ask == nil {
		return false
	}
	r, ok := l.ask(rung, l.judged.refusal)
	if ok {
		l.replies = append(l.replies, r)
	}
	return ok
}
