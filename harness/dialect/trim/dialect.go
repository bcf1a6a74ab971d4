// Package trim is the value of its dialect.
package trim

import (
	rules "replanbench/harness/budget"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/dialect/trim/defect"
	"replanbench/harness/dialect/trim/generate"
)

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "trim",
		Text:       "chat histories cut down to a budget of tokens by a policy",
		Eval:       rules.Eval,
		Faults:     generate.Faults(),
		Generate:   generate.New,
		Judging:    check.Rules(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
	}
}
