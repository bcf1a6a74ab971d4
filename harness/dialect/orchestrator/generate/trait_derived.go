package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document"
	"replanbench/harness/plan"
)

// switchedOff lists the traits that the dialect does without: a run has one limit for all its replies,
// so none of them can be set by one reply.
func switchedOff() (list []deform.Off) {
	for _, name := range []string{"too-large", "reply-at-limit", "depth-at-limit", "depth-over-limit"} {
		list = append(list, deform.Off{Name: name, Reason: "the limit holds for every reply of the run"})
	}
	return append(list, deform.Off{Name: "item-not-object", Reason: "a reply in a step has no list of objects"})
}

// declaration declares a reply in a step.
func declaration(drops bool) document.Value {
	v := spec.Reply()
	for i := range v.Of {
		v.Of[i].Drops = drops
	}
	return v
}

// ofControls names the traits that need a control; the others change a tool call.
var ofControls = []string{
	"unknown-word", "word-case", "word-padded", "null-optional", "null-list", "python-literals", "long-text", "control-text",
	"padded-text",
}

// derivedTraits are the traits that the declaration of a reply in a step implies.
func derivedTraits() (list []trait) {
	for _, t := range deform.Traits(declaration(false), switchedOff()...) {
		base, claims, rank := generators.Object(field("tool", generators.Text("grep")),
			field("args", generators.Object(field("pattern", generators.Text("x"))))), shares, early
		if slices.Contains(ofControls, t.Name) {
			base, claims, rank = generators.Object(field("control", generators.Text("step_done"))), takes, late
			if strings.HasSuffix(t.Name, "-text") {
				base.Add("reason", generators.Text("all tests pass"))
			}
		}
		plant := casts(rank, func(d *director, at *spot, s *plan.Step) bool {
			root := base
			root.Fields = slices.Clone(base.Fields)
			return d.playDerived(&t, at, s, root)
		})
		list = append(list, trait{t.Trait, claims | derives, does(plant)})
	}
	return list
}

func field(name string, v generators.Value) generators.Field {
	return generators.Field{Name: name, Value: v}
}

// playDerived plays a reply with a derived trait: it counts if reading gets past it.
func (d *director) playDerived(t *deform.Trait, at *spot, s *plan.Step, root generators.Value) bool {
	control := root.Get("control") != nil
	e, ok := t.Apply(&at.Choices, deform.Reply{
		Root: root, Document: declaration(d.profile.ExtraFields == harness.Drop), DuplicateKeys: d.profile.DuplicateKeys,
	})
	if !ok {
		return false
	}
	past := e.Past(d.profile.Reading)
	d.loose = d.loose || past && e.Open
	switch {
	case !past:
		return d.invalid(s, e.Text)
	case control:
		return d.finish(s, e.Text)
	}
	return d.call(s, e.Text, generators.Raw(`{"ok":true,"output":"nothing found"}`))
}
