package spec

import (
	"slices"

	planpatch "replanbench/harness/dialect/planpatch/spec"
	doc "replanbench/harness/document"
)

// Reply declares a reply within a step: a tool call, or a control.
func Reply() doc.Value {
	call := doc.Object(
		doc.Needs("tool", doc.ID()).Says("The name of the tool."),
		doc.May("args", doc.Value{Kind: doc.ObjectKind}).Says("Its arguments; leave out for none."),
	).Says("Calls a tool. The next reply comes after its result.")
	control := doc.Object(
		doc.Needs("control", doc.Enum("step_done", "replan")), doc.May("reason", doc.Text()).Says("Why, in a few words."),
	).Says("Says that the step is done, or that the plan has to change.")
	both := doc.OneOf(call, control).As("StepReply").
		Says("What a model answers within a step of a run: a tool call, or a control that ends the step.")
	both.Markers = []string{"steps", "type"} // plans and patches are never coerced into a reply
	return both
}

// Layout returns the paths of ids and items in plans, patches and scripts.
func Layout() *doc.Layout {
	l := planpatch.Layout()
	l.IDs, l.Words = append(slices.Clip(l.IDs), "step"), append(slices.Clip(l.Words), "tool")
	return l
}
