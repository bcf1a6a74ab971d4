package spec

import "replanbench/harness/plan"

// Written is a PlanPatch. A member of an update that is absent leaves the value unchanged.
type Written struct {
	Type   string         `json:"type"`
	Title  string         `json:"title,omitzero"`
	Remove []string       `json:"remove_steps,omitempty"`
	Update []plan.Written `json:"update_steps,omitempty"`
	Add    []plan.Written `json:"add_steps,omitempty"`
}

// Change writes the change from one plan to another, as far as a patch can express it.
func Change(before, after *plan.Plan) Written {
	w := Written{Type: "PlanPatch"}
	if after.Title != before.Title {
		w.Title = after.Title
	}
	for _, s := range before.Steps {
		if after.Step(s.ID) == nil {
			w.Remove = append(w.Remove, s.ID)
		}
	}
	for _, s := range after.Steps {
		old := before.Step(s.ID)
		if old == nil {
			w.Add = append(w.Add, plan.Write(s))
		} else if change, changed := plan.WriteChanges(old, s); changed {
			change.ID = s.ID
			w.Update = append(w.Update, change)
		}
	}
	return w
}
