package spec

import (
	"math"

	"replanbench/harness"
)

// The states of a run of the dialect orchestrator.
const (
	StateIntake     = "INTAKE"
	StatePlanning   = "PLANNING"
	StateExecuting  = "EXECUTING"
	StateVerifying  = "VERIFYING"
	StateRecovering = "RECOVERING"
	StateBlocked    = "BLOCKED"
	StateDone       = "DONE"
)

// States lists the states of a run.
func States() []harness.Term {
	return []harness.Term{
		{Name: StateIntake, Text: "the run checks the case"},
		{Name: StatePlanning, Text: "the run requests a plan, or already has one"},
		{Name: StateExecuting, Text: "steps run"},
		{Name: StateVerifying, Text: "the run verifies the written files"},
		{Name: StateRecovering, Text: "the fallback ladder changes the plan"},
		{Name: StateBlocked, Text: "no step can run, but not all are done"},
		{Name: StateDone, Text: "every step is done"},
	}
}

// Transitions returns the states that may follow a state.
func Transitions(state string) []string {
	switch state {
	case StateIntake, StateRecovering:
		return []string{StatePlanning}
	case StatePlanning:
		return []string{StateExecuting}
	case StateExecuting:
		return []string{StateVerifying, StateDone, StateRecovering, StateBlocked}
	case StateBlocked:
		return []string{StateRecovering}
	case StateVerifying:
		return []string{StateDone, StateRecovering}
	}
	return nil
}

// The events of a run, besides the ladder's events.
const (
	EventState           = "state"
	EventPlanGenerated   = "plan_generated"
	EventPlanRejected    = "plan_rejected"
	EventPlanningRetry   = "planning_retry"
	EventPlanParseFailed = "plan_parse_failed"
	EventPlanStepStart   = "plan_step_start"
	EventToolCalled      = "tool_called"
	EventReplyInvalid    = "reply_invalid"
	EventControlLegacy   = "control_protocol_legacy"
	EventReplanAsked     = "replan_asked"
	EventReplanTriggered = "replan_triggered"
	EventStepDone        = "step_done"
	EventStepFailed      = "step_failed"
	EventStepReopened    = "step_reopened"
	EventFinalVerify     = "final_verify"
	EventVerifyCached    = "verify_cached"
	EventHistoryTrimmed  = "history_trimmed"
	EventBudgetExceeded  = "budget_exceeded"
	EventResumed         = "resumed"
	EventRunFailed       = "run_failed"
)

// Events lists the events of a run, besides the ladder's events.
func Events() []harness.Term {
	return []harness.Term{
		{Name: EventState, Text: "the run entered the state"},
		{Name: EventPlanGenerated, Text: "a reply became the plan"},
		{Name: EventPlanRejected, Text: "a reply was rejected as the plan"},
		{Name: EventPlanningRetry, Text: "the run requests a plan again"},
		{Name: EventPlanParseFailed, Text: "no reply was a plan: the run continues without one"},
		{Name: EventPlanStepStart, Text: "a step began"},
		{Name: EventToolCalled, Text: "a tool was called and returned a result"},
		{Name: EventReplyInvalid, Text: "a reply in a step was neither control nor tool call"},
		{Name: EventControlLegacy, Text: "a bare control word was read as a control"},
		{Name: EventReplanAsked, Text: "a step requested a replan"},
		{Name: EventReplanTriggered, Text: "a failed verification, a failed tool or a changed environment leads to a replan"},
		{Name: EventStepDone, Text: "a step is done"},
		{Name: EventStepFailed, Text: "a step used up its rounds"},
		{Name: EventStepReopened, Text: "a failed or blocked step became pending again"},
		{Name: EventFinalVerify, Text: "the run verified the written files; a code means that the verification failed"},
		{Name: EventVerifyCached, Text: "nothing was written since the last verification passed, so the run does not " +
			"verify again"},
		{Name: EventHistoryTrimmed, Text: "messages were dropped or cut before a call, to fit the budget"},
		{Name: EventBudgetExceeded, Text: "a call exceeded the token budget after trimming"},
		{Name: EventResumed, Text: "a new process resumed from the saved state"},
		{Name: EventRunFailed, Text: "the run ends here; the code gives the reason"},
	}
}

// Consumes reports whether an event records the result of a reply. Replies are read
// in order, and each has one such event.
func Consumes(event string) bool {
	switch event {
	case EventPlanGenerated, EventPlanRejected, EventToolCalled, EventReplyInvalid, EventStepDone, EventReplanAsked,
		harness.EventPatchApplied, harness.EventPatchRejected, harness.EventFullPlanUsed, harness.EventFullPlanRejected:
		return true
	}
	return false
}

// DefaultTrimming is the policy of a case that has a budget and no policy.
const DefaultTrimming = "emergency"

// React is the id of the one step of a run without a plan.
const React = "react"

// Default limits of a run.
const (
	DefaultMaxStepToolCalls = 20
	DefaultMaxReplans       = 2
	DefaultPlanningRetries  = 1
)

// MaxReplies is how many replies a run may read at most, given the number of
// steps of its largest plan: those of planning, those of every step once in
// each plan that is followed, and those of every rung in each replan. It follows
// from the limits, and so is there to check that they hold.
func MaxReplies(l harness.Limits, p harness.Profile, steps int) int {
	limit := func(v *int, other int) float64 {
		if v == nil {
			return float64(other)
		}
		return float64(max(0, *v))
	}
	replans := limit(l.MaxReplans, DefaultMaxReplans)
	n := limit(l.PlanningRetries, DefaultPlanningRetries) + 1 +
		(replans+1)*float64(steps)*limit(l.MaxStepToolCalls, DefaultMaxStepToolCalls) +
		replans*float64(len(p.Ladder))
	return int(min(n, math.MaxInt32)) // more than any case holds
}
