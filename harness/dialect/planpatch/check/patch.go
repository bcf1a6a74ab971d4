package check

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// patchDoc is a PlanPatch. A nil member of an update leaves the value unchanged.
type patchDoc struct {
	Type        string       `json:"type"`
	Title       string       `json:"title,omitzero"`
	RemoveSteps []string     `json:"remove_steps,omitempty"`
	UpdateSteps []updateStep `json:"update_steps,omitempty"`
	AddSteps    []addStep    `json:"add_steps,omitempty"`
}

type updateStep struct {
	ID            string    `json:"id"`
	Description   *string   `json:"description,omitzero"`
	Dependencies  *[]string `json:"dependencies,omitzero"`
	ToolsExpected *[]string `json:"tools_expected,omitzero"`
}

type addStep struct {
	ID            string   `json:"id"`
	Description   string   `json:"description"`
	Dependencies  []string `json:"dependencies"`
	ToolsExpected []string `json:"tools_expected"`
}

// patch returns the PlanPatch document that turns the old plan into the new
// one. It returns false if no patch can: a plan is invalid or nothing differs; a
// status, an unknown member, the order of common steps, or the verification policy
// changes; or a finished step changes or is removed. It also returns false if a
// reader would not get the new value back: an untrimmed title or id, a duplicate
// dependency, or text that is not UTF-8.
//
// The patch assumes no limits: a plan above its step limit takes no new steps.
func patch(old, new *plan.Plan) ([]byte, bool) {
	if old.Check() != nil || new.Check() != nil || alike(old, new) {
		return nil, false
	}
	d := plan.Diff(old, new)
	if d.Empty() || len(d.Moved) > 0 || old.VerificationPolicy != new.VerificationPolicy {
		return nil, false
	}
	doc := patchDoc{Type: "PlanPatch"}
	ok := doc.title(old, new) && doc.remove(d.Removed) && doc.update(old, new, d.Changed) && doc.add(new, d.Added)
	if !ok {
		return nil, false
	}
	b, err := json.Marshal(doc)
	return b, err == nil
}

// alike reports whether two different ids of the plans differ only in surrounding
// white space. A patch cannot distinguish them.
func alike(old, new *plan.Plan) bool {
	seen := make(map[string]string, len(old.Steps)+len(new.Steps))
	for _, steps := range [][]plan.Step{old.Steps, new.Steps} {
		for _, s := range steps {
			t := strings.TrimSpace(s.ID)
			if id, ok := seen[t]; ok && id != s.ID {
				return true
			}
			seen[t] = s.ID
		}
	}
	return false
}

func (p *patchDoc) title(old, new *plan.Plan) bool {
	if old.Title == new.Title {
		return true
	}
	p.Title = new.Title
	return trimmed(new.Title)
}

func (p *patchDoc) remove(steps []plan.Step) bool {
	for _, s := range steps {
		if s.Status == plan.Done {
			return false
		}
		p.RemoveSteps = append(p.RemoveSteps, s.ID)
	}
	return true
}

func (p *patchDoc) update(old, new *plan.Plan, changed []plan.StepChange) bool {
	before, after := old.Index(), new.Index()
	for _, c := range changed {
		a, b := &old.Steps[before[c.ID]], &new.Steps[after[c.ID]]
		if a.Status == plan.Done || a.Status != b.Status || !strictjson.Equal(a.Extra, b.Extra) {
			return false
		}
		u := updateStep{ID: c.ID}
		if a.Description != b.Description {
			u.Description = &b.Description
		}
		if !slices.Equal(a.Dependencies, b.Dependencies) {
			if repeats(b.Dependencies) {
				return false
			}
			u.Dependencies = &b.Dependencies
		}
		if !slices.Equal(a.ToolsExpected, b.ToolsExpected) {
			u.ToolsExpected = &b.ToolsExpected
		}
		p.UpdateSteps = append(p.UpdateSteps, u)
	}
	return true
}

func (p *patchDoc) add(new *plan.Plan, steps []plan.Step) bool {
	for i, s := range steps {
		at := len(new.Steps) - len(steps) + i
		if new.Steps[at].ID != s.ID || s.Status != plan.Pending || s.Extra != nil || !trimmed(s.ID) ||
			repeats(s.Dependencies) {
			return false
		}
		p.AddSteps = append(p.AddSteps, addStep{s.ID, s.Description, s.Dependencies, s.ToolsExpected})
	}
	return true
}

// trimmed reports whether the text is neither blank nor padded with white space.
func trimmed(s string) bool { return s != "" && strings.TrimSpace(s) == s }

func repeats(list []string) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(slices.Compact(sorted)) < len(list)
}
