package generators

import (
	"replanbench/harness/plan"
)

// writePlan writes a plan as the case holds it. What has its default is
// sometimes left out.
func writePlan(w *writer, p *plan.Plan, brief, typed bool) {
	w.open('{')
	if typed {
		w.member("type", "FullPlan")
	}
	w.member("title", p.Title)
	w.name("steps")
	w.open('[')
	for i := range p.Steps {
		w.item()
		writeStep(w, &p.Steps[i], brief)
	}
	w.close(']')
	if p.VerificationPolicy != "" {
		w.member("verification_policy", p.VerificationPolicy)
	}
	w.close('}')
}

func writeStep(w *writer, s *plan.Step, brief bool) {
	w.open('{')
	w.member("id", s.ID)
	w.member("description", s.Description)
	if !brief || len(s.Dependencies) > 0 {
		w.list("dependencies", s.Dependencies)
	}
	if !brief || s.Status != plan.Pending {
		w.member("status", string(s.Status))
	}
	if !brief || len(s.ToolsExpected) > 0 {
		w.list("tools_expected", s.ToolsExpected)
	}
	w.members(s.Extra)
	w.close('}')
}
