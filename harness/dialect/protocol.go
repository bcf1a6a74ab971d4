package dialect

import (
	"cmp"

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
	// After returns the plan of an outcome in the common form, such as [Common].
	After func(*plan.Plan) *plan.Plan
	// Carried returns the part of a plan that the protocol can express; nil means all.
	Carried func(*plan.Plan) *plan.Plan
	// Lacks describes the part that it cannot express.
	Lacks string
}

// Common returns a plan in the common form: completed steps are done, cancelled ones are gone, others are pending.
func Common(p *plan.Plan) *plan.Plan {
	out := &plan.Plan{Title: p.Title}
	if p.Record != nil {
		out.Title = p.Record.Name
	}
	for _, s := range p.Steps {
		status := map[plan.Status]plan.Status{plan.Completed: plan.Done}[s.Status]
		if s.Status != plan.Cancelled {
			out.Steps = append(out.Steps, plan.Step{
				ID: s.ID, Description: s.Description, Dependencies: s.Dependencies, Status: cmp.Or(status, plan.Pending),
				ToolsExpected: s.ToolsExpected,
			})
		}
	}
	return out
}
