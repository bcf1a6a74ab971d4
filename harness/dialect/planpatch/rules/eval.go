package rules

import (
	"reflect"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/reply"
	"replanbench/harness/plan"
)

// Eval applies the replies of a case to its plan under a profile. It changes
// neither, and gives the same outcome for the same case.
func Eval(c harness.Case, p harness.Profile) harness.Outcome { return Climb(c, p, nil) }

func refused(r *harness.Refusal) harness.Outcome {
	out := r.OutcomeOfReply()
	out.Events = []harness.Event{}
	return out
}

// attempt is the result of one reply on one rung.
type attempt struct {
	tier     harness.Tier
	repairs  []harness.Repair
	warnings []harness.Warning
	accepted *application // nil if the reply was refused
	reason   string
	refusal  *harness.Refusal
	fullPlan bool // the reply is a full plan
}

// attempted applies what was read of a reply.
func attempted[T any](l *ladder, r *reply.Reading[T], apply func(a *application, doc T) *harness.Refusal) attempt {
	at := attempt{tier: r.Tier, repairs: r.Repairs, warnings: r.Warnings, refusal: r.Refusal}
	if at.refusal == nil {
		a := &application{Ground: l.Ground, limit: l.limits.MaxPlanSteps}
		a.warnings.Warn(r.Warnings)
		if at.refusal = apply(a, r.Doc); at.refusal == nil {
			at.accepted = a
		}
		at.repairs, at.warnings = append(slices.Clip(r.Repairs), a.repairs...), a.warnings.Warnings()
	}
	if at.refusal != nil {
		at.refusal.In(r.Where(at.refusal.At))
	}
	return at
}

// patch reads and applies a reply as a PlanPatch.
func (l *ladder) patch(raw harness.Reply) attempt {
	declared := spec.Reply(false, l.profile.ExtraFields)
	r := reply.ReadText(l.textOf(raw), declared, decodePatch(declared, l.names.spell), l.samePatch)
	at := attempted(l, &r, (*application).applyPatch)
	if r.Refusal == nil {
		at.reason = r.Doc.reason
		return at
	}
	at.fullPlan = slices.ContainsFunc(r.Objects, isFullPlan)
	return at
}

// whole reads and applies a reply as a FullPlan.
func (l *ladder) whole(raw harness.Reply) attempt {
	r := reply.ReadText(l.textOf(raw), spec.Reply(true, ""), decodeFullPlan, l.sameFullPlan)
	return attempted(l, &r, (*application).applyFullPlan)
}

// samePatch reports whether two patches say the same: ids count as they will be
// stored.
func (l *ladder) samePatch(a, b *patch) bool {
	l.names.spellPatch(a)
	l.names.spellPatch(b)
	return reflect.DeepEqual(a, b)
}

// sameFullPlan does so for two plans. The status that a step claims says
// nothing: all of them become pending.
func (l *ladder) sameFullPlan(a, b *fullPlan) bool {
	l.names.spellAll(a.steps)
	l.names.spellAll(b.steps)
	return a.title == b.title && reflect.DeepEqual(a.steps, b.steps) && reflect.DeepEqual(a.policy, b.policy)
}

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

// Ground is a sound plan with the limits and the profile by which replies to it are
// judged. It does not change, and a reply is read only once.
type Ground struct {
	old     *plan.Plan
	names   names
	limits  harness.Limits
	options reply.Options
	profile harness.Profile
	refusal *harness.Refusal // the limits cannot be used
	texts   []*reply.Text
	room    [2]*reply.Text // for the first texts
}

// NewGround returns the ground, which is to be released. Without a plan nothing can be read on it.
func NewGround(old *plan.Plan, l harness.Limits, p harness.Profile) *Ground {
	g := &Ground{old: old, limits: l, profile: p}
	g.texts = g.room[:0]
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
