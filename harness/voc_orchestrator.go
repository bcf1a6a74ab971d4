package harness

import "slices"

// VocRun lists the words of outcomes: the codes of single replies in the trace are
// among them.
func VocRun() Vocabulary {
	return Vocabulary{
		Codes:    LadderCodes(),
		Warnings: LadderWarnings(),
		Events:   slices.Concat(RunEvents(), Events()),
		Marks:    States(),
		Knobs:    append(ReadingKnobs(), "conflicts", "orphans", "carry_over", "ladder", "parallel"),
	}
}
