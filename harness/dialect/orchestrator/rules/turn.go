package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/words"
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
}

// Follow runs a case as [Eval] does, from intake to its end without interruption,
// and hands on every turn as it is taken.
func Follow(c harness.Case, p harness.Profile, turn func(Turn)) harness.Outcome {
	m, refusal := newMachine(c, p)
	if refusal != nil {
		return stillborn(refusal)
	}
	for !m.Ended {
		t, state := Turn{From: m.Replies, Plan: m.Plan}, m.State
		m.advance()
		t.To, t.Events = m.Replies, slices.Clone(m.Queue)
		for _, raw := range m.replies[t.From:t.To] {
			t.Tiers = append(t.Tiers, m.tier(state, t.Plan, raw))
		}
		if t.Tiers != nil {
			turn(t)
		}
		m.log.trace, m.Queue = append(m.log.trace, m.Queue...), nil
	}
	return m.outcome()
}

// tier is that of a reply that was read in a state. A control word in its old
// spelling stands in prose.
func (m *machine) tier(state string, old *plan.Plan, raw harness.Reply) harness.Tier {
	if state == words.StateExecuting {
		a, r := readAction(raw, m.options, m.profile)
		if a.legacy {
			return harness.TierExtracted
		}
		return r.Tier
	}
	p := m.profile
	p.Ladder = []harness.Rung{harness.RungPatch, harness.RungFullPlan}
	if state == words.StatePlanning {
		old, p.Ladder = &plan.Plan{}, p.Ladder[1:]
	}
	return planpatch.Replan(old, m.limits, p, []harness.Reply{raw}).Outcome.Tier
}
