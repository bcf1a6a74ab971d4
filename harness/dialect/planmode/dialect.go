// Package planmode assembles the dialect planmode from its parts.
package planmode

import (
	_ "embed" // the help

	"replanbench/harness/dialect"
	"replanbench/harness/dialect/planmode/check"
	"replanbench/harness/dialect/planmode/defect"
	"replanbench/harness/dialect/planmode/generate"
	"replanbench/harness/dialect/planmode/rules"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "planmode",
		Requests:   "sessions",
		Text:       "sessions with a plan mode: enter and leave with approval, write only the plan file",
		Help:       help,
		Documents:  []document.Document{{Name: "context"}, {Name: "files"}, {Name: "calls", Required: true, Counted: true}},
		Replies:    document.NoReplies,
		Layout:     spec.Layout(),
		Eval:       rules.Eval,
		Needs:      rules.Needs,
		Explain:    explanation,
		Traits:     generate.Traits(),
		Tries:      []string{"exit-without-plan", "tool-unknown", "arguments-null"},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
		Schemas: []schema.Schema{{
			Name: "planmode",
			Text: "a session with a plan mode: context, files and calls of a case", Data: spec.Session().Schema(),
		}},
	}
}
