package orchestrator

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
)

// vocabulary lists the words of outcomes: the codes of single replies in the trace are
// among them.
func vocabulary() harness.Vocabulary {
	return harness.Vocabulary{
		Codes:        append(harness.LadderCodes(), harness.Only(harness.Codes(), harness.CannotFit)...),
		Rungs:        harness.Rungs(),
		Repairs:      harness.RepairRules(),
		Warnings:     harness.LadderWarnings(),
		Events:       slices.Concat(spec.Events(), harness.Events()),
		Marks:        spec.States(),
		Knobs:        append(harness.ReadingKnobs(), "conflicts", "orphans", "carry_over", "ladder", "parallel"),
		Own:          spec.Knobs(),
		Capabilities: capabilities(),
	}
}
