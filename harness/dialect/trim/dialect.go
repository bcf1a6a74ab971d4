// Package trim assembles the dialect trim from its parts.
package trim

import (
	_ "embed" // the help

	"replanbench/harness/dialect"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/dialect/trim/defect"
	"replanbench/harness/dialect/trim/generate"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/dialect/trim/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:     "trim",
		Requests: "histories",
		Text:     "chat histories that a policy trims to a token budget",
		Help:     help,
		Documents: []document.Document{
			{Name: "messages", Required: true, Counted: true},
			{Name: "budget"},
			{Name: "policy"},
		},
		Replies:    document.NoReplies,
		Layout:     spec.Layout(),
		Trim:       rules.Trim,
		Eval:       rules.Eval,
		Needs:      rules.Needs,
		Explain:    explanation,
		Traits:     generate.Traits(),
		Tries:      []string{"tool-loop", "message-with-extras", "many-messages", "policy-unknown", "budget-of-one"},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
		Schemas:    []schema.Schema{{Name: "trim", Text: "messages, budget and policy of a trim case", Data: spec.Trimming().Schema()}},
	}
}
