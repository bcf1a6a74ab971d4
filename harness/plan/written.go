package plan

import "slices"

// Written is a step as documents and replies have it, or a change of one. Absent members are
// nil, or "" for the id.
type Written struct {
	ID           string    `json:"id,omitzero"`
	Description  *string   `json:"description,omitzero"`
	Dependencies *[]string `json:"dependencies,omitzero"`
	Tools        *[]string `json:"tools_expected,omitzero"`
	Status       *Status   `json:"status,omitzero"`
}

// Write returns a step with all members except its status.
func Write(s Step) Written {
	w := Written{ID: s.ID, Description: &s.Description}
	if len(s.Dependencies) > 0 {
		w.Dependencies = &s.Dependencies
	}
	if len(s.ToolsExpected) > 0 {
		w.Tools = &s.ToolsExpected
	}
	return w
}

// WriteChanges returns the changed members of a step, without its id.
func WriteChanges(old *Step, s Step) (w Written, changed bool) {
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
