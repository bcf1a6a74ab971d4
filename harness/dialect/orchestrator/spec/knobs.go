// Package spec contains the names that the rules, generators and checks of the dialect
// orchestrator share. It contains no rule.
package spec

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	planpatch "replanbench/harness/dialect/planpatch/spec"
	doc "replanbench/harness/document"
)

// What can lead to another plan without being asked for, by the knob replan_on.
const (
	OnVerification = "verification"
	OnTool         = "tool"
	OnEnvironment  = "environment"
)

const off = "off"

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return vocabulary().Own }

// Plans reports whether runs have a plan under these rules.
func Plans(p harness.Profile) bool { return knob.Find(Knobs(), "planning").Get(p) != off }

// ReplansOn reports whether a thing leads to another plan under these rules.
func ReplansOn(p harness.Profile, what string) bool {
	return slices.ContainsFunc(strings.Split(knob.Find(Knobs(), "replan_on").Get(p), ","),
		func(v string) bool { return strings.TrimSpace(v) == what })
}

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
