// Package operations is the value of its dialect.
package operations

import (
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations/check"
	"replanbench/harness/dialect/operations/defect"
	"replanbench/harness/dialect/operations/generate"
	"replanbench/harness/dialect/operations/rules"
)

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "operations",
		Text:       "lists of operations on a plan with versions: add, modify, remove and reorder steps",
		Eval:       rules.Eval,
		Faults:     generate.Faults(),
		Generate:   generate.New,
		Judging:    check.Rules(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
	}
}
