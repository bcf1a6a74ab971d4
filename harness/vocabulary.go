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
			Codes: except(runCodes(), MaxReplansReached, DependencyDeadlock, VerificationFailed),
			Tiers: Tiers(), Rungs: Rungs(), Repairs: RepairRules(), Warnings: patchWarnings(), Events: Events(),
			Knobs: append(reading, "conflicts", "duplicate_updates", "orphans", "carry_over", "ladder"),
		}
	case Operations:
		return Vocabulary{
			Codes: operationsCodes(), Tiers: Tiers(), Repairs: readingRepairs(), Warnings: operationsWarnings(), Results: operationTerms(),
			Knobs: append(reading, "on_error", "step_id_names", "positions"),
		}
	case Orchestrator:
		return Vocabulary{
			Codes: runCodes(), Warnings: patchWarnings(), Events: slices.Concat(RunEvents(), Events()),
			Knobs: append(reading, "conflicts", "orphans", "carry_over", "ladder", "parallel"),
		}
	case PlanMode:
		return Vocabulary{Codes: sessionCodes(), Events: SessionEvents()}
	case Trim:
		return Vocabulary{Codes: only(Codes(), NoDocument, InvalidUTF8, TooDeep, DuplicateKey, ExtraField, MissingField, BadType, BadLimit, CannotFit)}
	}
	return Vocabulary{}
}

// runCodes lists the codes that the dialect orchestrator can give, those of
// single replies in its trace among them.
func runCodes() []Term {
	return except(Codes(), UnknownOperation, DependentsExist, BadArguments, AgentContext, AlreadyInPlanMode, NotInPlanMode,
		ToolForbidden, EmptyPlanFile, SlugExhausted, CannotFit)
}

// operationsCodes lists the codes of whole replies and of single operations.
func operationsCodes() []Term {
	return only(Codes(), append(operationCodes(),
		NoDocument, InvalidUTF8, ReplyTooLarge, TooDeep, DuplicateKey, BadLimit, InvalidPlan, EmptyPatch, RepliesExhausted)...)
}

// sessionCodes lists the codes of scripts that break the rules, and those of
// calls. A case that is no JSON at all (no_document) reaches an engine only as
// a Go value.
func sessionCodes() []Term {
	return only(Codes(), InvalidUTF8, TooDeep, DuplicateKey, ExtraField, MissingField, BadType, RepliesExhausted, BadArguments,
		AgentContext, AlreadyInPlanMode, NotInPlanMode, ToolForbidden, EmptyPlanFile, SlugExhausted)
}

func patchWarnings() []Term { return except(Warnings(), WarnPositionIgnored) }

func operationsWarnings() []Term {
	return only(Warnings(), WarnUnknownField, WarnStatusForced, WarnAmbiguousReply, WarnDuplicateDependency, WarnDuplicateKey, WarnPositionIgnored)
}

// readingRepairs lists the rules of mending and bending.
func readingRepairs() []Term {
	all := RepairRules()
	first := slices.IndexFunc(all, func(t Term) bool { return t.Name == "remove_update" })
	return all[:first:first]
}

// only keeps the terms of those names, in the order of the list.
func only[N ~string](terms []Term, names ...N) []Term {
	return slices.DeleteFunc(terms, func(t Term) bool { return !slices.Contains(names, N(t.Name)) })
}

// except keeps the terms of all other names.
func except[N ~string](terms []Term, names ...N) []Term {
	return slices.DeleteFunc(terms, func(t Term) bool { return slices.Contains(names, N(t.Name)) })
}
