// Package planpatch is the value of its dialect.
package planpatch

import (
	_ "embed" // the help

	"replanbench/harness/dialect"
	"replanbench/harness/dialect/planpatch/check"
	"replanbench/harness/dialect/planpatch/defect"
	"replanbench/harness/dialect/planpatch/generate"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:      "planpatch",
		Text:      "patches over a plan: remove, update and add steps by id, with a ladder of fallbacks",
		Help:      help,
		Needs:     needs,
		Documents: []document.Document{{Name: "plan", Required: true}},
		Replies:   document.RequiredReplies,
		Edits:     true,
		Layout:    spec.Layout(),
		Eval:      rules.Eval,
		Score:     scored,
		Protocols: protocols(),
		Prompts:   prompts(),
		Climb:     rules.Climb,
		Explain:   explanation,
		Traits:    generate.Traits(),
		Subjects:  generate.Subjects(),
		Formerly:  generate.Formerly(),
		Tries: []string{
			"done-remove", "title-only", "update-one-member", "plan-members-updated", "null-optional", "empty-reply",
			"plan-large", "fence-json", "prose-both", "lone-surrogate", "wrong-type", "plan-malformed",
			"first-reply-fails",
		},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
		Schemas: []schema.Schema{
			{Name: "planpatch", Text: "a patch, as a model should write it", Data: spec.Patch().Schema()},
			{Name: "fullplan", Text: "a whole plan, as input or as a model's reply", Data: spec.FullPlan().Schema()},
		},
	}
}
