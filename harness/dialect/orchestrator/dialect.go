// Package orchestrator is the value of its dialect.
package orchestrator

import (
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/orchestrator/check"
	"replanbench/harness/dialect/orchestrator/generate"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/document"
)

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "orchestrator",
		Text:       "whole runs by a plan: planning, steps with tools, replans, verification, interruptions",
		Documents:  []document.Document{{Name: "plan"}, {Name: "tools", Counted: true}, {Name: "verify", Counted: true}},
		Replies:    document.OptionalReplies,
		Layout:     words.Layout(),
		Scripted:   true,
		Eval:       rules.Eval,
		Faults:     generate.Faults(),
		Generate:   generate.New,
		Judging:    check.Rules(),
		Vocabulary: vocabulary(),
	}
}
