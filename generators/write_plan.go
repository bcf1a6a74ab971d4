package generators

import (
	"replanbench/harness/plan"
)

// WritePlan writes a plan as the case holds it. What has its default is
// sometimes left out.
func WritePlan(w *Writer, p *plan.Plan, brief, typed bool) {
	w.Open('{')
	if typed {
		w.Member("type", "FullPlan")
	}
	w.Member("title", p.Title)
	w.Name("steps")
	w.Open('[')
	for i := range p.Steps {
		w.Item()
		writeStep(w, &p.Steps[i], brief)
	}
	w.Close(']')
	if p.VerificationPolicy != "" {
		w.Member("verification_policy", p.VerificationPolicy)
	}
	w.Close('}')
}

func writeStep(w *Writer, s *plan.Step, brief bool) {
	w.Open('{')
	w.Member("id", s.ID)
	w.Member("description", s.Description)
	if !brief || len(s.Dependencies) > 0 {
		w.List("dependencies", s.Dependencies)
	}
	if !brief || s.Status != plan.Pending {
		w.Member("status", string(s.Status))
	}
	if !brief || len(s.ToolsExpected) > 0 {
		w.List("tools_expected", s.ToolsExpected)
	}
	w.Members(s.Extra)
	w.Close('}')
}
