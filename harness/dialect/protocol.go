package dialect

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Protocol is a way of writing a change of a plan as a reply of a dialect. Plans have
// a common form for all protocols: a title, and steps that are done or pending.
type Protocol struct {
	harness.Term
	// Before returns the plan as the document of a case.
	Before func(*plan.Plan) jsontext.Value
	// Write writes the change from one plan to another, as far as the protocol can
	// express it. The caller applies it and compares.
	Write func(before, after *plan.Plan) any
	// Guide instructs a model how to write a change.
	Guide string
	// After returns the plan of an outcome in the common form.
	After func(*plan.Plan) *plan.Plan
	// Carried returns the part of a plan that the protocol can express; nil means all.
	Carried func(*plan.Plan) *plan.Plan
	// Lacks describes the part that it cannot express.
	Lacks string
}

// WrittenStep is a step in documents and replies of protocols, or a change of
// one. Absent members are nil, or "" for the id.
type WrittenStep struct {
	ID           string       `json:"id,omitzero"`
	Description  *string      `json:"description,omitzero"`
	Dependencies *[]string    `json:"dependencies,omitzero"`
	Tools        *[]string    `json:"tools_expected,omitzero"`
	Status       *plan.Status `json:"status,omitzero"`
}

// WriteStep returns a step with all members except its status.
func WriteStep(s plan.Step) WrittenStep {
	w := WrittenStep{ID: s.ID, Description: &s.Description}
	if len(s.Dependencies) > 0 {
		w.Dependencies = &s.Dependencies
	}
	if len(s.ToolsExpected) > 0 {
		w.Tools = &s.ToolsExpected
	}
	return w
}

// WriteChanges returns the changed members of a step, without its id.
func WriteChanges(old *plan.Step, s plan.Step) (w WrittenStep, changed bool) {
	if s.Description != old.Description {
		w.Description, changed = &s.Description, true
	}
	if !slices.Equal(s.Dependencies, old.Dependencies) {
		list := append([]string{}, s.Dependencies...)
		w.Dependencies, changed = &list, true
	}
	if !slices.Equal(s.ToolsExpected, old.ToolsExpected) {
		list := append([]string{}, s.ToolsExpected...)
		w.Tools, changed = &list, true
	}
	return w, changed
}
