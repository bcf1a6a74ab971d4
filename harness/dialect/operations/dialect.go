// Package operations is the value of its dialect.
package operations

import (
	_ "embed" // the help

	"replanbench/generators/deform"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations/check"
	"replanbench/harness/dialect/operations/defect"
	"replanbench/harness/dialect/operations/generate"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:      "operations",
		Text:      "lists of operations on a plan with versions: add, modify, remove and reorder steps",
		Help:      help,
		Documents: []document.Document{{Name: "plan", Required: true}, {Name: "results", ByID: true}},
		Replies:   document.RequiredReplies,
		Layout:    spec.Layout(),
		Eval:      rules.Eval,
		Climb:     climb,
		Prompts:   prompts(),
		Score:     scored,
		Needs:     rules.Needs,
		Protocols: protocols(),
		Explain:   explanation,
		Reason:    reason,
		Traits:    generate.Traits(),
		Formerly:  generate.Formerly(),
		Subjects:  deform.Subjects(generate.Traits(), []string{"cycle", "step that depends on itself"}),
		Tries: []string{
			"modify-completed", "modify-clears", "extra-members", "blank-reply", "plan-large", "fence-json",
			"prose-both", "lone-surrogate", "wrong-type", "plan-malformed", "second-reply",
		},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
		Schemas: []schema.Schema{{
			Name: "operations", Text: "an update by operations, as a model should write it",
			Data: spec.Update().Schema(),
		}},
	}
}
