package rules

import (
	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/reply"
)

// Replanning is what came of one climb of the ladder within a longer run.
type Replanning struct {
	// Outcome is that of the climb. Replies that it left unread are the run's
	// business, so that there is no warning about them.
	Outcome harness.Outcome
	Read    int // replies read
	// Named are the ids of old steps that the applied reply updated or
	// replaced, whether or not that changed them.
	Named []string
}

// Replan climbs the ladder of a profile from a plan, reading as many of the
// replies as it needs. The plan must be sound and the limits valid, as they are
// after [Eval] has accepted them; neither is changed.
func Replan(old *plan.Plan, l harness.Limits, p harness.Profile, replies []harness.Reply) Replanning {
	options, refusal := reply.NewOptions(l, p)
	if refusal != nil {
		return Replanning{Outcome: refused(refusal)}
	}
	ladder := newLadder(old, l, options, p, replies)
	ladder.part = true
	out := ladder.climb()
	return Replanning{out, ladder.next, ladder.named}
}

// Planning is what came of a reply that was to be a first plan.
type Planning struct {
	Plan     *plan.Plan // nil if the reply was refused
	Repairs  []harness.Repair
	Warnings []harness.Warning
	Refusal  *harness.Refusal
}

// ReadPlan reads a reply as the first plan of a run, by the rules for whole
// plans. All steps are pending. Over the limit the plan is cut from its end,
// and steps that depend on a cut one go too, with the warning truncated.
func ReadPlan(raw harness.Reply, l harness.Limits, p harness.Profile) Planning {
	options, refusal := reply.NewOptions(l, p)
	if refusal != nil {
		return Planning{Refusal: refusal}
	}
	at := newLadder(&plan.Plan{}, l, options, p, nil).whole(raw)
	if at.refusal != nil {
		return Planning{Refusal: at.refusal}
	}
	return Planning{Plan: at.result.plan, Repairs: at.repairs, Warnings: at.warnings}
}
