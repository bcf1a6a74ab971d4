package harness

import "slices"

// Vocabulary is what the outcomes of one dialect are made of: closed lists, of
// which coverage says how much was met. A list is empty where the dialect has
// no such thing.
type Vocabulary struct {
	Codes    []Term
	Tiers    []Term
	Rungs    []Term
	Repairs  []Term
	Warnings []Term
	Events   []Term   // of the ladder's log, or of the trace
	Results  []Term   // what can become of a single operation
	Knobs    []string // of the profile, that change a rule of the dialect
}

// VocabularyOf returns the vocabulary of a dialect; that of an unknown one is
// empty.
func VocabularyOf(dialect string) Vocabulary {
	reading := []string{"duplicate_keys", "extra_fields", "reading.extract", "reading.repair", "reading.coerce"}
	switch dialect {
	case PlanPatch:
		return Vocabulary{
			Codes: PlanPatchCodes(), Tiers: Tiers(), Rungs: Rungs(), Repairs: RepairRules(), Warnings: PlanPatchWarnings(), Events: Events(),
			Knobs: append(reading, "conflicts", "duplicate_updates", "orphans", "carry_over", "ladder"),
		}
	case Operations:
		return Vocabulary{
			Codes: OperationsCodes(), Tiers: Tiers(), Repairs: ReadingRepairs(), Warnings: OperationsWarnings(), Results: operationTerms(),
			Knobs: append(reading, "on_error", "step_id_names", "positions"),
		}
	case Orchestrator:
		return Vocabulary{
			Codes: RunCodes(), Warnings: PlanPatchWarnings(), Events: slices.Concat(RunEvents(), Events()),
			Knobs: append(reading, "conflicts", "orphans", "carry_over", "ladder", "parallel"),
		}
	case PlanMode:
		return Vocabulary{Codes: PlanModeCodes(), Events: SessionEvents()}
	case Trim:
		return Vocabulary{Codes: TrimCodes()}
	}
	return Vocabulary{}
}

// ReadingRepairs lists the rules of mending and bending.
func ReadingRepairs() []Term {
	all := RepairRules()
	first := slices.IndexFunc(all, func(t Term) bool { return t.Name == "remove_update" })
	return all[:first:first]
}

// TrimCodes lists the codes that the dialect trim can give.
func TrimCodes() []Term {
	codes := []Code{NoDocument, InvalidUTF8, TooDeep, DuplicateKey, ExtraField, MissingField, BadType, BadLimit, CannotFit}
	return slices.DeleteFunc(Codes(), func(t Term) bool { return !slices.Contains(codes, Code(t.Name)) })
}
