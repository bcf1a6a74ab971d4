package check

import (
	"slices"
	"testing"

	"replanbench/harness/plan"
)

func base() *plan.Plan {
	return &plan.Plan{Title: "t", Steps: []plan.Step{
		{ID: "a", Description: "A", Status: plan.Done, Extra: []byte(`{"result":1}`)},
		{ID: "b", Description: "B", Status: plan.Pending, Dependencies: []string{"a"}},
		{ID: "c", Description: "C", Status: plan.Pending, Dependencies: []string{"b"}, ToolsExpected: []string{"grep"}},
	}}
}

func TestPatchText(t *testing.T) {
	p := base()
	p.Title = "u"
	p.Steps[1].Dependencies = nil
	p.Steps = append(p.Steps[:2], plan.Step{ID: "d", Description: "D", Status: plan.Pending, Dependencies: []string{"b"}})
	got, ok := patch(base(), p)
	want := `{"type":"PlanPatch","title":"u","remove_steps":["c"],"update_steps":[{"id":"b","dependencies":[]}],` +
		`"add_steps":[{"id":"d","description":"D","dependencies":["b"]}]}`
	if !ok || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, ok, want)
	}
}

func TestPatchCannot(t *testing.T) {
	added := plan.Step{ID: "d", Description: "D", Status: plan.Pending}
	tests := map[string]func(p *plan.Plan){
		"nothing changed":         func(p *plan.Plan) {},
		"status changed":          func(p *plan.Plan) { p.Steps[1].Status = plan.InProgress },
		"unknown members changed": func(p *plan.Plan) { p.Steps[1].Extra = []byte(`{"x":1}`) },
		"done step changed":       func(p *plan.Plan) { p.Steps[0].Description = "Z" },
		"done step removed":       func(p *plan.Plan) { p.Steps = p.Steps[1:]; p.Steps[0].Dependencies = nil },
		"policy changed":          func(p *plan.Plan) { p.VerificationPolicy = "run" },
		"reordered":               func(p *plan.Plan) { p.Steps[1], p.Steps[2] = p.Steps[2], p.Steps[1] },
		"added in the middle":     func(p *plan.Plan) { p.Steps = slices.Insert(p.Steps, 1, added) },
		"added and not pending": func(p *plan.Plan) {
			p.Steps = append(p.Steps,
				plan.Step{ID: "d", Status: plan.Done})
		},
		"title blank":            func(p *plan.Plan) { p.Title = " " },
		"title with white space": func(p *plan.Plan) { p.Title = " u" },
		"id with white space": func(p *plan.Plan) {
			p.Steps = append(p.Steps,
				plan.Step{ID: "d\u00a0", Status: plan.Pending})
		},
		"ids that differ only in white space": func(p *plan.Plan) {
			p.Steps = append(p.Steps,
				plan.Step{ID: " b", Status: plan.Pending})
		},
		"dependency twice": func(p *plan.Plan) { p.Steps[1].Dependencies = []string{"a", "a"} },
		"not UTF-8":        func(p *plan.Plan) { p.Steps[1].Description = "\xff" },
		"unsound":          func(p *plan.Plan) { p.Steps[1].Dependencies = []string{"x"} },
		"no step left":     func(p *plan.Plan) { p.Steps = nil },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			p := base()
			edit(p)
			if got, ok := patch(base(), p); ok {
				t.Errorf("got the patch %s, want none", got)
			}
		})
	}
}
