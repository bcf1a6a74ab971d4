package orchestrator

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

// explanation describes a run: its events and its end.
func explanation(s explain.Subject) []explain.Section {
	return slices.Concat(s.Rejected(-1), s.Trace(), s.Repairs(), planOfRun(s), s.Warnings())
}

// planOfRun shows the first plan of the run, and how it ended.
func planOfRun(s explain.Subject) []explain.Section {
	out := s.Outcome
	if out.Verdict == harness.Applied && out.Plan == nil {
		return []explain.Section{{Title: "The run continued without a plan"}}
	}
	for _, e := range out.Trace {
		if p, err := plan.Decode(e.Data); err == nil && e.Event == spec.EventPlanGenerated {
			s.Before, s.Unsound = p, nil
		}
	}
	if s.Before == nil && out.Plan != nil {
		s.Before, s.Unsound = &plan.Plan{}, nil
	}
	return s.PlanChange()
}
