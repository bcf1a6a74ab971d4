package spec

import (
	"math"

	"replanbench/harness"
	"replanbench/harness/document/collect"
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

// Consumes reports whether an event records the result of a reply. Replies are read
// in order, and each has one such event, with a code if the reply was refused.
func Consumes(event string) bool {
	switch event {
	case EventPlanGenerated, EventPlanRejected, EventToolCalled, EventReplyInvalid, EventStepDone, EventReplanAsked,
		harness.EventPatchApplied, harness.EventPatchRejected, harness.EventFullPlanUsed, harness.EventFullPlanRejected:
		return true
	}
	return false
}

// Trimmed is the data of an event about the token budget of a call.
type Trimmed struct {
	Policy  string        `json:"policy"`
	Max     int           `json:"max_tokens"`
	Before  int           `json:"before"`
	After   int           `json:"after"`
	Dropped []int         `json:"dropped,omitempty"`
	Cut     []harness.Cut `json:"cut,omitempty"`
}

// Count returns how many events of a kind a trace has.
func Count(trace []harness.TraceItem, event string) int {
	return collect.Count(trace, func(e harness.TraceItem) bool { return e.Event == event })
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

// Limit is a limit, or the one that holds if a case gives none. One below 0 allows nothing.
func Limit(v *int, other int) int {
	if v == nil {
		return other
	}
	return max(0, *v)
}

// MaxReplies is how many replies a run may read at most, given the number of
// steps of its largest plan: those of planning, those of every step once in
// each plan that is followed, and those of every rung in each replan. It follows
// from the limits, and so is there to check that they hold.
func MaxReplies(l harness.Limits, p harness.Profile, steps int) int {
	limit := func(v *int, other int) float64 { return float64(Limit(v, other)) }
	replans := limit(l.MaxReplans, DefaultMaxReplans)
	n := limit(l.PlanningRetries, DefaultPlanningRetries) + 1 +
		(replans+1)*float64(steps)*limit(l.MaxStepToolCalls, DefaultMaxStepToolCalls) +
		replans*float64(len(p.Ladder))
	return int(min(n, math.MaxInt32)) // more than any case holds
}
