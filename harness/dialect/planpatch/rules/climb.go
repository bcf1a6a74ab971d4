package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/reply"
)

// Climb is [Eval] with replies that come as they are needed: behind those of
// the case, it asks for one whenever a rung would read a reply and none is
// left. The outcome is that of Eval with all of these replies in the case.
func Climb(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
	options, refusal := reply.NewOptions(c.Limits, p)
	if refusal != nil {
		return refused(refusal)
	}
	old, err := plan.Decode(c.Plan)
	if err != nil {
		return refused(harness.Refuse(harness.InvalidPlan, "the plan is unsound: %s", err))
	}
	g := &Ground{old: old, names: newNames(old), limits: c.Limits, options: options, profile: p}
	defer g.Release()
	l := newLadder(g, slices.Clip(c.Replies))
	l.ask = ask
	return l.climb()
}

// more reports whether there is an unread reply for a rung; where there is
// none it asks for one.
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
