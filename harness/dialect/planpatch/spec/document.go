// Package spec defines the words that rules, samples and checks of the dialect share,
// and the layout of its documents. It has no rules.
package spec

import (
	_ "embed"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	doc "replanbench/harness/document"
	"replanbench/harness/plan"
)

// The values that several members have.
var (
	id           = doc.ID().As("id").Says("The id of a step, not blank.")
	dependencies = doc.List(id).OrNull().As("dependencies").Says("Ids of the steps that must be done before.")
	tools        = doc.List(doc.Text()).OrNull().As("tools").Says("Names of the tools that the step will use.")
)

// named declares the type of a document.
func named(name string) doc.Value {
	v := doc.Enum(name)
	v.Code = "wrong_document"
	return v
}

// Patch declares a PlanPatch.
func Patch() doc.Value {
	update := doc.Object(
		doc.Needs("id", id), doc.May("description", doc.Text()), doc.May("dependencies", dependencies),
		doc.May("tools_expected", tools),
	)
	added := doc.Object(
		doc.Needs("id", id), doc.Needs("description", doc.Text()), doc.May("dependencies", dependencies),
		doc.May("status", doc.Text()).Says("Always pending, whatever is said here."), doc.May("tools_expected", tools),
	)
	update.Called, added.Called = "an update", "a step"
	patch := doc.Object(
		doc.May("type", named("PlanPatch")),
		doc.May("title", doc.Text()).Says("A new title; leave out to keep the old one."),
		doc.May("remove_steps", doc.List(id).Unordered().Counts()).Says("Ids of steps to remove."),
		doc.May("update_steps", doc.List(update).Unordered().Counts()).
			Says("Steps of the plan to change. What is left out stays as it is; a list replaces the whole list."),
		doc.May("add_steps", doc.List(added).Counts()).
			Says("New steps, with ids that the plan does not have. They go to the end, in this order."),
		doc.May("reason", doc.Text()).Says("Why the plan changes."),
	).As("PlanPatch").Says("An edit of a plan: steps to remove, to update and to add. An id stands in one of the " +
		"three lists only. Finished steps (status done) stay as they are.")
	patch.Markers = []string{"steps"}
	return patch
}

// FullPlan declares a whole plan.
func FullPlan() doc.Value {
	status := doc.Text("pending", "in_progress", "done", "blocked", "failed").
		Says("In a case's plan one of the examples. In a reply any text: it decides nothing.")
	step := doc.Object(
		doc.Needs("id", doc.ID()).Says("Unique in the plan, not blank."), doc.Needs("description", doc.Text()),
		doc.May("dependencies", doc.List(doc.ID())).Says(dependencies.Text), doc.May("status", status),
		doc.May("tools_expected", doc.List(doc.Text())).Says(tools.Text),
	)
	step.Open, step.Drops, step.Called = true, true, "a step"
	full := doc.Object(
		doc.May("type", named("FullPlan")), doc.Needs("title", doc.Text()),
		doc.Needs("steps", doc.List(step).Counts().With(`"minItems": 1`)), doc.May("verification_policy", doc.Text()),
	).As("FullPlan").Says("A whole plan. Dependencies name steps of the plan and form no cycle.")
	full.Open, full.Drops = true, true
	return full
}

// declared are a full plan, and a patch that drops unknown members of added steps or not. Nothing writes to them.
var declared = sync.OnceValue(func() *[3]doc.Value {
	drops := Patch()
	drops.Member("add_steps").Item.Drops = true
	return &[...]doc.Value{FullPlan(), drops, Patch()}
})

// Reply returns the declaration of a reply under a policy for unknown members. It is shared and must not be changed.
func Reply(full bool, extra string) *doc.Value {
	switch {
	case full:
		return &declared()[0]
	case extra == harness.Drop:
		return &declared()[1]
	}
	return &declared()[2]
}

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return vocabulary().Own }

// Stored returns how a profile stores descriptions and titles.
func Stored(p *harness.Profile) func(string) string { return knob.Stored(p, knob.Keep) }

var layout = sync.OnceValue(func() doc.Layout { return doc.LayoutOf(FullPlan(), Patch()) })

// Layout returns the paths of ids, lists and items in plans, patches and full plans.
func Layout() *doc.Layout {
	l := layout()
	return &l
}

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
