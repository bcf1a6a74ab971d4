package orchestrator

import (
	"slices"

	"replanbench/harness"
	"replanbench/reports/explain"
)

// explanation tells of a run: what happened, and where it ended.
func explanation(s explain.Subject) []explain.Section {
	s.Hint = hint
	return slices.Concat(s.Refused(-1), s.Trace(), s.PlanChange())
}

// hint says how to get out of a refusal. Runs are refused for what the case
// holds, and not for what one reply says.
func hint(e harness.Event) string {
	switch e.Code {
	case harness.InvalidPlan:
		return explain.Hint(e)
	case harness.BadLimit:
		return "max_replans and planning_retries are at least 0, other limits and interrupt_after at least 1"
	case harness.RepliesExhausted:
		return "the script ended before the run: add the reply, tool result or verification that comes next"
	case harness.ReplanFailed:
		return "the trace has the code of each rung; a ladder that ends with react goes on without another plan"
	case harness.MaxReplansReached:
		return "the trace says which step asked; raise max_replans, or max_step_tool_calls if steps fail for want of rounds"
	case harness.DependencyDeadlock:
		return "what is left needs a step that failed: another plan must update or remove that one, or raise max_replans"
	case harness.VerificationFailed:
		return "a run is done only when its verification passes: its errors stand in the trace"
	}
	return "tools and verify are lists of objects with ok; a tool result may have output and writes, a verification errors"
}
