package rules

import (
	"replanbench/harness"
	"replanbench/harness/document/reply"
	"replanbench/harness/plan"
)

// Replanning is the result of one climb of the ladder in a longer run.
type Replanning struct {
	// Outcome is the outcome of the climb. It has no warning about unread replies
	// because the run handles them.
	Outcome harness.Outcome
	Read    int // replies read
	// Named are the ids of old steps that the applied reply updated or
	// replaced, whether or not that changed them.
	Named []string
}

// Ground is what replies are judged on: a plan, which must be sound, limits and a
// profile, none of which is changed. A reply is read once, however often the ladder is
// climbed with it or it is looked through.
type Ground struct {
	old     *plan.Plan
	names   names
	limits  harness.Limits
	options reply.Options
	profile harness.Profile
	refusal *harness.Refusal // the limits cannot be used
	texts   []*reply.Text
}

// NewGround returns the ground, which is to be released. Without a plan nothing can be read on it.
func NewGround(old *plan.Plan, l harness.Limits, p harness.Profile) *Ground {
	g := &Ground{old: old, limits: l, profile: p}
	if g.options, g.refusal = reply.NewOptions(l, p); g.refusal == nil && old != nil {
		g.names = newNames(old)
	}
	return g
}

// Release releases the memory of the parsed replies.
func (g *Ground) Release() {
	for _, t := range g.texts {
		t.Release()
	}
	g.texts = nil
}

// textOf prepares a reply to be read.
func (g *Ground) textOf(raw harness.Reply) *reply.Text {
	for _, t := range g.texts {
		if t.Of(raw) {
			return t
		}
	}
	t := reply.NewText(raw, g.options)
	g.texts = append(g.texts, t)
	return t
}

// Climb climbs these rungs, reading as many of the replies as it needs.
func (g *Ground) Climb(rungs []harness.Rung, replies []harness.Reply) Replanning {
	if g.refusal != nil {
		return Replanning{Outcome: refused(g.refusal)}
	}
	ladder := newLadder(g, replies)
	ladder.rungs, ladder.part = rungs, true
	out := ladder.climb()
	return Replanning{out, ladder.next, ladder.named}
}

// Replan climbs the ladder of a profile from a plan. A first plan is a whole one that replaces an empty plan: steps
// that depend on one over the limit go, too.
func Replan(old *plan.Plan, l harness.Limits, p harness.Profile, replies []harness.Reply) Replanning {
	g := NewGround(old, l, p)
	defer g.Release()
	return g.Climb(p.Ladder, replies)
}
