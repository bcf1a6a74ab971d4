package harness

func VocPatch() Vocabulary {
	return Vocabulary{
		Codes: Except(LadderCodes(), MaxReplansReached, DependencyDeadlock, VerificationFailed),
		Tiers: Tiers(), Rungs: Rungs(), Repairs: RepairRules(), Warnings: LadderWarnings(), Events: Events(),
		Knobs: append(ReadingKnobs(), "conflicts", "duplicate_updates", "orphans", "carry_over", "ladder"),
	}
}
