package dialect

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/plan"
)

// WrittenStep is a step as documents and replies of protocols have it, or a change of
// one; what is left out is nil, and the id "".
type WrittenStep struct {
	ID           string       `json:"id,omitzero"`
	Description  *string      `json:"description,omitzero"`
	Dependencies *[]string    `json:"dependencies,omitzero"`
	Tools        *[]string    `json:"tools_expected,omitzero"`
	Status       *plan.Status `json:"status,omitzero"`
}

// WriteStep writes a step with all that it has but its status.
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

// WriteChanges writes what differs of a step, without its id.
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

// WriteDocument writes the document of a plan, which holds texts and numbers alone.
func WriteDocument(doc any) jsontext.Value {
	data, err := json.Marshal(doc)
	if err != nil {
		panic(err) // texts and numbers marshal
	}
	return data
}
