package spec

import (
	"replanbench/harness"
	"replanbench/harness/dialect/knob"
)

// The results of an operation that are not codes.
const (
	Applied   = "applied"
	Unchanged = "unchanged"
	Undone    = "undone"
	NotRun    = "not_run"
)

// The capabilities that an engine may lack although every applied update needs them. Then the members of these
// names are not judged.
const (
	Version = "version"
	History = "history"
)

// Results lists the results of operations: the four above and the codes.
func Results() []string {
	list := []string{Applied, Unchanged, Undone, NotRun}
	for _, c := range Codes() {
		list = append(list, string(c))
	}
	return list
}

// ResultTerms lists the results with their meanings.
func ResultTerms() []harness.Term {
	terms := []harness.Term{
		{Name: Applied, Text: "the operation was applied"},
		{Name: Unchanged, Text: "the operation changes no value"},
		{Name: Undone, Text: "the operation was undone because another one failed"},
		{Name: NotRun, Text: "the operation was skipped because an earlier one failed"},
	}
	return append(terms, harness.Only(harness.Codes(), Codes()...)...)
}

// Codes lists the codes that reject one operation.
func Codes() []harness.Code {
	return []harness.Code{
		harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID, harness.DuplicateID, harness.UnknownStep,
		harness.DoneImmutable, harness.OverCapacity,
		harness.MissingDependency, harness.DependencyCycle, harness.UnknownOperation, harness.DependentsExist,
	}
}

// UpdateTypes lists the kinds of changes that the updates of a case make together.
func UpdateTypes() []harness.Term {
	return []harness.Term{
		{Name: "none", Text: "nothing changed"},
		{Name: "metadata", Text: "the name or description of the plan changed"},
		{Name: "structure", Text: "steps were added, removed, moved or got other dependencies"},
		{Name: "content", Text: "other members of steps changed"},
		{Name: "mixed", Text: "several of structure, content and metadata"},
	}
}

// Knobs lists the common knobs that change a rule of the dialect.
func Knobs() []string {
	return append(harness.ReadingKnobs(), "on_error", "step_id_names", "positions", "orphans")
}

// OutOfRange returns the knob that decides what becomes of a position that the plan does not have.
func OutOfRange() harness.Knob {
	return harness.Knob{
		Name: "out_of_range", Text: "a position that the plan does not have: ignored with a warning, or the operation fails",
		Values: []string{"ignore", harness.Reject}, Rare: []string{harness.Reject}, Default: "ignore",
	}
}

// Own lists the knobs that only this dialect has.
func Own() []harness.Knob {
	return []harness.Knob{
		ReorderDone(), OutOfRange(), knob.Done(), knob.Dependents(), knob.Order(knob.Topological), knob.Text(knob.Keep),
		knob.MaxText(),
	}
}

// Allow is the value of the knob reorder_done that allows moving completed steps.
const Allow = "allow"

// ReorderDone returns the knob that decides whether completed steps may move.
func ReorderDone() harness.Knob {
	return harness.Knob{
		Name: "reorder_done", Text: "an operation moves a completed step", Values: []string{Allow, harness.Reject},
		Default: Allow,
	}
}
