package rules

import (
	"reflect"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/reply"
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
	result   *result
	reason   string
	refusal  *harness.Refusal // nil if result is set
	fullPlan bool             // the reply is a full plan
}

func (l *ladder) application(w []harness.Warning) *application {
	a := &application{
		old: l.old, names: l.names, profile: l.profile, limit: l.limits.MaxPlanSteps, stored: spec.Stored(&l.profile),
	}
	a.warnings.Warn(w)
	return a
}

// patch reads and applies a reply as a PlanPatch.
func (l *ladder) patch(raw harness.Reply) attempt {
	r := reply.ReadText(l.textOf(raw), &declaredPatch, decodePatch(l.profile.ExtraFields, l.names.spell), l.samePatch)
	at := attempt{tier: r.Tier, repairs: r.Repairs, warnings: r.Warnings}
	if r.Refusal != nil {
		at.refusal = r.Refusal.In(r.Where(r.Refusal.At))
		for _, o := range r.Objects {
			at.fullPlan = at.fullPlan || isFullPlan(o)
		}
		return at
	}
	a := l.application(r.Warnings)
	a.patch = r.Doc
	res, refusal := a.applyPatch()
	at.take(a, res, refusal, r.Where)
	at.reason = r.Doc.reason
	return at
}

// whole reads and applies a reply as a FullPlan.
func (l *ladder) whole(raw harness.Reply) attempt {
	r := reply.ReadText(l.textOf(raw), &declaredPlan, decodeFullPlan, l.sameFullPlan)
	at := attempt{tier: r.Tier, repairs: r.Repairs, warnings: r.Warnings}
	if r.Refusal != nil {
		at.refusal = r.Refusal.In(r.Where(r.Refusal.At))
		return at
	}
	a := l.application(r.Warnings)
	res, refusal := a.applyFullPlan(r.Doc)
	at.take(a, res, refusal, r.Where)
	return at
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
	l.names.spellSteps(a.steps)
	l.names.spellSteps(b.steps)
	return a.title == b.title && reflect.DeepEqual(a.steps, b.steps) && reflect.DeepEqual(a.policy, b.policy)
}

func (at *attempt) take(a *application, res *result, refusal *harness.Refusal, where func(*string) string) {
	at.result, at.warnings = res, a.warnings.Warnings()
	at.repairs = append(slices.Clip(at.repairs), a.repairs...)
	if refusal != nil {
		at.refusal = refusal.In(where(refusal.At))
	}
}
