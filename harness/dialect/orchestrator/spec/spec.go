// Package spec contains the names that the rules, generators and checks of the dialect share. It has no rule.
package spec

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	planpatch "replanbench/harness/dialect/planpatch/spec"
	doc "replanbench/harness/document"
	"replanbench/harness/document/collect"
)

// What can lead to another plan without being asked for, by the knob replan_on.
const (
	OnVerification = "verification"
	OnTool         = "tool"
	OnEnvironment  = "environment"
)

const off = "off"

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return vocabulary().Own }

// Plans reports whether runs have a plan under these rules.
func Plans(p harness.Profile) bool { return knob.Find(Knobs(), "planning").Get(p) != off }

// ReplansOn reports whether a thing leads to another plan under these rules.
func ReplansOn(p harness.Profile, what string) bool {
	return slices.ContainsFunc(strings.Split(knob.Find(Knobs(), "replan_on").Get(p), ","),
		func(v string) bool { return strings.TrimSpace(v) == what })
}

// Reply declares a reply within a step: a tool call, or a control.
func Reply() doc.Value {
	call := doc.Object(
		doc.Needs("tool", doc.ID()).Says("The name of the tool."),
		doc.May("args", doc.Value{Kind: doc.ObjectKind}).Says("Its arguments; leave out for none."),
	).Says("Calls a tool. The next reply comes after its result.")
	control := doc.Object(
		doc.Needs("control", doc.Enum("step_done", "replan")), doc.May("reason", doc.Text()).Says("Why, in a few words."),
	).Says("Says that the step is done, or that the plan has to change.")
	both := doc.OneOf(call, control).As("StepReply").
		Says("What a model answers within a step of a run: a tool call, or a control that ends the step.")
	both.Markers = []string{"steps", "type"} // plans and patches are never coerced into a reply
	return both
}

// Layout returns the paths of ids and items in plans, patches and scripts.
func Layout() *doc.Layout {
	l := planpatch.Layout()
	l.IDs, l.Words = append(slices.Clip(l.IDs), "step"), append(slices.Clip(l.Words), "tool")
	return l
}

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

// Consumes reports whether an event records the result of a reply. Each reply has one such event, in order.
func Consumes(event string) bool {
	return slices.Contains([]string{
		EventPlanGenerated, EventPlanRejected, EventToolCalled, EventReplyInvalid, EventStepDone, EventReplanAsked,
		harness.EventPatchApplied, harness.EventPatchRejected, harness.EventFullPlanUsed, harness.EventFullPlanRejected,
	}, event)
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

// MaxReplies is how many replies a run may read at most, given the number of steps of its largest plan: in planning, in
// each step of each plan, and on each rung of each replan.
func MaxReplies(l harness.Limits, p harness.Profile, steps int) int {
	limit := func(v *int, other int) float64 { return float64(Limit(v, other)) }
	replans := limit(l.MaxReplans, DefaultMaxReplans)
	n := limit(l.PlanningRetries, DefaultPlanningRetries) + 1 +
		(replans+1)*float64(steps)*limit(l.MaxStepToolCalls, DefaultMaxStepToolCalls) +
		replans*float64(len(p.Ladder))
	return int(min(n, math.MaxInt32)) // more than any case holds
}
