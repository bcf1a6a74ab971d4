package dialect

import (
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Protocol is a way of writing a change of a plan as a reply of a dialect. Plans come
// in one form for all protocols: a title, and steps that are done or pending.
type Protocol struct {
	harness.Term
	// Before is the plan as the document of a case.
	Before func(*plan.Plan) jsontext.Value
	// Write writes the change from one plan to another. A change that the protocol
	// cannot say is written as far as it goes: whoever asks applies it and looks.
	Write func(before, after *plan.Plan) any
	// Guide tells a model how to write a change.
	Guide string
	// After is the plan of an outcome in the common form.
	After func(*plan.Plan) *plan.Plan
	// Carried is what of a plan the protocol has a place for; nil is all of it.
	Carried func(*plan.Plan) *plan.Plan
	// Lacks says in words what it has no place for.
	Lacks string
}
