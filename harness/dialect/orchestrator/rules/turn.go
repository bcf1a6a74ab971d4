package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
)

// Turn is what a run did with the replies that it read at one place: one, or those
// of one climb of the ladder.
type Turn struct {
	From, To int            // the replies of the case, from including, to excluding
	Tiers    []harness.Tier // how much help each takes to be read as what is read there
	Plan     *plan.Plan     // when they came; nil without one. It changes as the run goes on
	Events   []harness.TraceItem
	// Edit is what the first of the replies by itself does to the plan; nil where no
	// edit is read.
	Edit *planpatch.Replanning
}

// Follow runs a case as [Eval] does, from intake to its end without interruption,
// and hands on every turn as it is taken.
func Follow(c harness.Case, p harness.Profile, turn func(Turn)) harness.Outcome {
	if n := c.InterruptAfter; n != nil && *n > 0 {
		c.InterruptAfter = nil
	}
	return run(c, p, nil, func(m *machine) {
		t, state := Turn{From: m.Replies, Plan: m.Plan}, m.State
		m.advance()
		t.To, t.Events = m.Replies, slices.Clone(m.Queue)
		for _, raw := range m.replies[t.From:t.To] {
			tier, edit := m.read(state, t.Plan, raw)
			if t.Tiers = append(t.Tiers, tier); t.Edit == nil {
				t.Edit = edit
			}
		}
		if t.Tiers != nil {
			turn(t)
		}
	})
}

// read says by which tier a reply is read in a state, and what it does to the plan
// if it is read as an edit of it. A control word in its old spelling stands in prose.
func (m *machine) read(state string, old *plan.Plan, raw harness.Reply) (harness.Tier, *planpatch.Replanning) {
	switch state {
	case spec.StateExecuting:
		a, r := readAction(raw, m.options, m.profile)
		if a.legacy {
			return harness.TierExtracted, nil
		}
		return r.Tier, nil
	case spec.StatePlanning:
		return m.firstPlan(raw).Tier, nil
	}
	p := m.profile
	p.Ladder = []harness.Rung{harness.RungPatch, harness.RungFullPlan}
	r := planpatch.Replan(old, m.limits, p, []harness.Reply{raw})
	return r.Outcome.Tier, &r
}
