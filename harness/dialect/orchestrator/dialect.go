// Package orchestrator is the value of its dialect.
package orchestrator

import (
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/orchestrator/check"
	"replanbench/harness/dialect/orchestrator/defect"
	"replanbench/harness/dialect/orchestrator/generate"
	"replanbench/harness/dialect/orchestrator/rules"
)

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "orchestrator",
		Text:       "whole runs by a plan: planning, steps with tools, replans, verification, interruptions",
		Eval:       rules.Eval,
		Faults:     generate.Faults(),
		Generate:   generate.New,
		Judging:    check.Rules(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
	}
}
