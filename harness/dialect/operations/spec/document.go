// Package spec contains the names that the rules, generators and checks of the dialect
// operations share. It contains no rule.
package spec

import (
	"sync"

	doc "replanbench/harness/document"
)

// The values that several members have.
var (
	id           = doc.ID().As("id").Says("The id of a step, not blank.")
	dependencies = doc.List(id).OrNull().As("dependencies").Says("Ids of the steps that must be done before.")
	tools        = doc.List(doc.Text()).OrNull().As("tools").Says("Names of the tools that the step will use.")
	reason       = doc.Text().OrNull().As("reason").Says("Why.")
)

// content lists the members of a step that an update may give.
func content() []doc.Member {
	return []doc.Member{
		doc.May("name", doc.Text()), doc.May("description", doc.Text()), doc.May("assigned_specialist", doc.Text()),
		doc.May("priority", doc.Number()), doc.May("dependencies", dependencies),
		doc.May("parameters", doc.Value{Kind: doc.ObjectKind}), doc.May("tools_expected", tools),
	}
}

// operation declares an operation of a type.
func operation(name, text string, members ...doc.Member) doc.Value {
	members = append([]doc.Member{doc.Needs("type", doc.Enum(name))}, append(members, doc.May("reason", reason))...)
	return doc.Object(members...).As(name).Says(text)
}

// IDNames lists the names that the id of a step may have in an operation. A profile may accept only the first one.
func IDNames() []string { return []string{"step_id", "stepID", "stepId", "id"} }

// Update declares the document of a reply; others are further names of a step's id.
func Update(others ...string) doc.Value {
	added := doc.Object(append([]doc.Member{
		doc.May("id", id).Says("An id that neither the plan nor its history has; leave out to get one."),
		doc.May("status", doc.Text()).Says("Always pending, whatever is said here."),
	}, content()...)...).With(`"anyOf": [
		{"properties": {"name": {"type": "string", "pattern": "\\S"}}, "required": ["name"]},
		{"properties": {"description": {"type": "string", "pattern": "\\S"}}, "required": ["description"]}
	]`)
	position := doc.Integer("", "").Says("The index at which the step will stand, from 0; leave out for the end.")
	moved := doc.Integer("0", "").Says("The index at which the step will stand, from 0.")
	position.Anchor, moved.Anchor = true, true
	step := doc.Needs("step_id", id).Also(others...)
	return doc.Object(
		doc.May("plan_metadata", doc.Object(
			doc.May("name", doc.Text()).Says("A new name of the plan; leave out to keep the old one."),
			doc.May("description", doc.Text()).Says("A new description of the plan; leave out to keep the old one."),
			doc.May("update_reason", doc.Text()).Says("Why the plan changes."),
		)),
		doc.Needs("operations", doc.List(doc.OneOf(
			operation("add", "Adds a step.", doc.May("position", position), doc.Needs("step_data", added)),
			operation("modify", "Changes the members given of a step; dependencies and parameters are replaced whole.",
				step, doc.Needs("step_data", doc.Object(content()...))),
			operation("remove", "Removes a step that no other step depends on.", step),
			operation("reorder", "Moves a step; nothing else of it changes.", step, doc.Needs("position", moved)),
		)).Counts()),
	).As("Operations").Says("An update of a plan: operations that apply in order, each to the plan as the ones before " +
		"left it. Completed steps cannot be modified, removed or moved.")
}

var layout = sync.OnceValue(func() doc.Layout {
	step := doc.Object(doc.Needs("id", id), doc.May("dependencies", dependencies),
		doc.May("status", doc.Text("pending", "running", "completed", "failed", "skipped", "in_progress")))
	l := doc.LayoutOf(Update(IDNames()[1:]...), doc.Object(
		doc.May("version", doc.Integer("1", "")), doc.Needs("steps", doc.List(step).Counts()),
		doc.May("history", doc.List(doc.Object())),
	))
	l.Nested = []string{"history"}
	return l
})

// Layout returns the paths of ids, lists and items in plans, histories and updates.
func Layout() *doc.Layout {
	l := layout()
	return &l
}
