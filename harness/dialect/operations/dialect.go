// Package operations is the value of its dialect.
package operations

import (
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations/check"
	"replanbench/harness/dialect/operations/generate"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/words"
	"replanbench/harness/document"
)

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "operations",
		Text:       "lists of operations on a plan with versions: add, modify, remove and reorder steps",
		Documents:  []document.Document{{Name: "plan", Required: true}, {Name: "results", ByID: true}},
		Replies:    document.RequiredReplies,
		Layout:     words.Layout(),
		Eval:       rules.Eval,
		Faults:     generate.Faults(),
		Generate:   generate.New,
		Judging:    check.Rules(),
		Vocabulary: vocabulary(),
	}
}
