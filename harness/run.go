package harness

import "math"

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
func States() []Term {
	return []Term{
		{StateIntake, "the case is looked over"},
		{StatePlanning, "a plan is asked for, or there is one"},
		{StateExecuting, "steps run"},
		{StateVerifying, "what was written is verified"},
		{StateRecovering, "the plan is changed by the fallback ladder"},
		{StateBlocked, "no step can run and not all are done"},
		{StateDone, "every step is done"},
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
		return []string{StateDone}
	}
	return nil
}

// The events of a run, beside those of the ladder.
const (
	EventEntered         = "entered"
	EventPlanAccepted    = "plan_accepted"
	EventPlanRejected    = "plan_rejected"
	EventPlanParseFailed = "plan_parse_failed"
	EventStepStarted     = "step_started"
	EventToolCalled      = "tool_called"
	EventReplyInvalid    = "reply_invalid"
	EventControlLegacy   = "control_protocol_legacy"
	EventReplanAsked     = "replan_asked"
	EventStepDone        = "step_done"
	EventStepFailed      = "step_failed"
	EventStepReopened    = "step_reopened"
	EventVerifyPassed    = "verify_passed"
	EventVerifyFailed    = "verify_failed"
	EventVerifyCached    = "verify_cached"
	EventResumed         = "resumed"
	EventRunFailed       = "run_failed"
)

// RunEvents lists the events of a run, beside those of the ladder.
func RunEvents() []Term {
	return []Term{
		{EventEntered, "the run entered the state"},
		{EventPlanAccepted, "a reply became the plan"},
		{EventPlanRejected, "a reply was refused as the plan"},
		{EventPlanParseFailed, "no reply was a plan: the run goes on without one"},
		{EventStepStarted, "a step began"},
		{EventToolCalled, "a tool was called and answered"},
		{EventReplyInvalid, "a reply in a step was neither control nor tool call"},
		{EventControlLegacy, "a control word was taken in its old spelling"},
		{EventReplanAsked, "a step asked for another plan"},
		{EventStepDone, "a step is done"},
		{EventStepFailed, "a step used up its rounds"},
		{EventStepReopened, "a step that had failed or was blocked waits again"},
		{EventVerifyPassed, "the verification passed"},
		{EventVerifyFailed, "the verification did not pass"},
		{EventVerifyCached, "nothing changed since the verification passed, so that it is not done again"},
		{EventResumed, "the saved state was taken up by a new process"},
		{EventRunFailed, "the run ends here, for the reason that its code gives"},
	}
}

// Limits of a run that hold where a case gives none.
const (
	DefaultMaxStepToolCalls = 20
	DefaultMaxReplans       = 2
	DefaultPlanningRetries  = 1
)

// MaxReplies is how many replies a run may read at most, given the number of
// steps of its largest plan: those of planning, those of every step once in
// each plan that is followed, and those of every rung in each replan. It follows
// from the limits, and so is there to check that they hold.
func MaxReplies(l Limits, p Profile, steps int) int {
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
