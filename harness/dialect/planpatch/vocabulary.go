package planpatch

import (
	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
)

func vocabulary() harness.Vocabulary {
	return harness.Vocabulary{
		Codes: harness.Except(harness.LadderCodes(), harness.MaxReplansReached, harness.DependencyDeadlock,
			harness.VerificationFailed),
		Tiers: harness.Tiers(), Rungs: harness.Rungs(), Repairs: harness.RepairRules(), Warnings: harness.LadderWarnings(),
		Events:       harness.Events(),
		Knobs:        append(harness.ReadingKnobs(), "conflicts", "duplicate_updates", "orphans", "carry_over", "ladder"),
		Capabilities: capabilities(),
		Own:          spec.Knobs(),
	}
}
