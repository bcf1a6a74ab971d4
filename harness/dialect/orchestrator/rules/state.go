package rules

import (
	"replanbench/harness"
	"replanbench/harness/plan"
)

// state is everything that a run needs to continue after an interruption. It is saved
// and read as one JSON object, so it is not split.
type state struct {
	State  string       `json:"state"`
	Ended  bool         `json:"ended,omitzero"`
	Code   harness.Code `json:"code,omitzero"` // why it failed
	Reason string       `json:"reason,omitzero"`

	Plan  *plan.Plan `json:"plan,omitzero"`
	ReAct bool       `json:"react,omitzero"` // the plan is the one implicit step
	// GaveUp: planning failed too often, or a ladder ended with the rung react.
	GaveUp bool `json:"gave_up,omitzero"`

	// The cursor: the steps of the wave that have not ended, the running one
	// first, with its rounds so far, and those that failed or asked for another
	// plan.
	Wave    []string `json:"wave,omitzero"`
	Rounds  int      `json:"rounds,omitzero"`
	Trouble []string `json:"trouble,omitzero"`

	// How much of limits and script is used up.
	Attempts int `json:"attempts,omitzero"` // at planning
	Replans  int `json:"replans,omitzero"`
	Replies  int `json:"replies,omitzero"`
	Tools    int `json:"tools,omitzero"`
	Checks   int `json:"checks,omitzero"`

	// The files that were written, path → hash, and as the verification last
	// passed them.
	Written  map[string]string `json:"written,omitzero"`
	Verified map[string]string `json:"verified,omitzero"`

	// Recent are messages that the model has not received yet: results, corrections.
	Recent []string `json:"recent,omitzero"`
	// Queue are the events that have come to pass and are not in the trace yet.
	Queue []harness.TraceItem `json:"queue,omitzero"`

	Warnings []harness.Warning `json:"warnings,omitzero"`
	Repairs  []harness.Repair  `json:"repairs,omitzero"`
}
