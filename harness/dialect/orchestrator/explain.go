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
	s.Hint = hint
	return slices.Concat(s.Rejected(-1), s.Trace(), s.Repairs(), planOfRun(s), s.Warnings())
}

// planOfRun shows the plan that the run began with, or that a reply gave, and how
// it ended.
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

// hint returns advice for a rejection. Runs are refused for what the case
// holds, and not for what one reply says.
func hint(e harness.Event) string {
	switch e.Code {
	case harness.InvalidPlan:
		return explain.Hint(e)
	case harness.BadLimit:
		return "max_replans and planning_retries are at least 0, other limits and interrupt_after at least 1"
	case harness.RepliesExhausted:
		return "the script ended before the run: add the next reply, tool result or verification"
	case harness.ReplanFailed:
		return "the trace has the code of each rung; with react as last rung the run continues without a plan"
	case harness.MaxReplansReached:
		return "the trace shows which step requested the replan; raise max_replans, or max_step_tool_calls if steps run " +
			"out of rounds"
	case harness.DependencyDeadlock:
		return "the remaining steps depend on a failed step: update or remove it in a replan, or raise max_replans"
	case harness.CannotFit:
		return "raise max_tokens of the budget, or choose a policy that cuts or drops more: clamp, or a window"
	case harness.VerificationFailed:
		return "a run is done only when its verification passes: the trace shows its errors; replan_on and max_replans " +
			"decide whether the run replans"
	}
	return "tools and verify are lists of objects with ok; a tool result may have output, writes and environment, a " +
		"verification errors; " +
		`a budget is {"max_tokens":N,"tokenizer":"o200k_base"}, a policy one of replanbench list trimming`
}
