// Package planmode is the value of its dialect.
package planmode

import (
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/planmode/check"
	"replanbench/harness/dialect/planmode/defect"
	"replanbench/harness/dialect/planmode/generate"
	"replanbench/harness/dialect/planmode/rules"
)

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "planmode",
		Text:       "sessions with a plan mode: enter and leave it with approval, write nothing but the plan file",
		Eval:       rules.Eval,
		Faults:     generate.Faults(),
		Generate:   generate.New,
		Judging:    check.Rules(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
	}
}
