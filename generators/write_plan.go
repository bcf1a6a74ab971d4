package generators

import (
	"replanbench/harness/plan"
)

// PlanForm selects among equivalent documents of a plan.
type PlanForm struct {
	Brief bool // leaves out members with default values
	Nulls bool // writes them as null
	Typed bool // writes the type
	// Toolless leaves out tools_expected.
	Toolless bool
}

// WritePlan writes a plan in the default form.
func WritePlan(w *Writer, p *plan.Plan, brief, typed bool) {
	WritePlanAs(w, p, PlanForm{Brief: brief, Typed: typed})
}

// WritePlanAs writes a plan in a form.
func WritePlanAs(w *Writer, p *plan.Plan, form PlanForm) {
	w.Open('{')
	if form.Typed {
		w.Member("type", "FullPlan")
	}
	w.Member("title", p.Title)
	w.Name("steps")
	w.Open('[')
	for i := range p.Steps {
		w.Item()
		writeStep(w, &p.Steps[i], form)
	}
	w.Close(']')
	if p.VerificationPolicy != "" {
		w.Member("verification_policy", p.VerificationPolicy)
	}
	w.Close('}')
}

func writeStep(w *Writer, s *plan.Step, form PlanForm) {
	given := func(name string, standard bool) bool {
		if standard && form.Nulls {
			w.Raw(name, "null")
		}
		return !standard || !form.Brief && !form.Nulls
	}
	w.Open('{')
	w.Member("id", s.ID)
	w.Member("description", s.Description)
	if given("dependencies", len(s.Dependencies) == 0) {
		w.List("dependencies", s.Dependencies)
	}
	if given("status", s.Status == plan.Pending) {
		w.Member("status", string(s.Status))
	}
	if !form.Toolless && given("tools_expected", len(s.ToolsExpected) == 0) {
		w.List("tools_expected", s.ToolsExpected)
	}
	w.Members(s.Extra)
	w.Close('}')
}
