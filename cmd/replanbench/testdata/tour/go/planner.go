// Package planner applies a model's patch to a plan. It has bugs.
package planner

import (
	"encoding/json"
	"errors"
	"slices"
)

// Plan is a list of steps under a title.
type Plan struct {
	Title string `json:"title"`
	Steps []Step `json:"steps"`
}

// Step is one step of a plan.
type Step struct {
	ID            string   `json:"id"`
	Description   string   `json:"description"`
	Dependencies  []string `json:"dependencies"`
	Status        string   `json:"status,omitempty"`
	ToolsExpected []string `json:"tools_expected"`
}

// Why a patch is refused.
var (
	ErrNoPatch = errors.New("the reply is no patch")
	ErrDone    = errors.New("a done step cannot be removed")
	ErrNothing = errors.New("the patch changes nothing")
)

// Apply removes the steps that a patch names.
func Apply(p Plan, reply []byte) (Plan, error) {
	var patch struct {
		RemoveSteps []string `json:"remove_steps"`
	}
	if err := json.Unmarshal(reply, &patch); err != nil {
		return p, ErrNoPatch
	}
	old := len(p.Steps)
	for _, s := range p.Steps {
		if s.Status == "done" && slices.Contains(patch.RemoveSteps, s.ID) {
			return p, ErrDone
		}
	}
	p.Steps = slices.DeleteFunc(p.Steps, func(s Step) bool { return slices.Contains(patch.RemoveSteps, s.ID) })
	if len(p.Steps) == old {
		return p, ErrNothing
	}
	return p, nil
}
