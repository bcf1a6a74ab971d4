package words

import "replanbench/harness"

// What can become of an operation of the dialect operations beside a code.
const (
	Applied   = "applied"
	Unchanged = "unchanged"
	Undone    = "undone"
	NotRun    = "not_run"
)

// Results lists what can become of an operation.
func Results() []string {
	list := []string{Applied, Unchanged, Undone, NotRun}
	for _, c := range Codes() {
		list = append(list, string(c))
	}
	return list
}

// ResultTerms lists the same with their meanings.
func ResultTerms() []harness.Term {
	terms := []harness.Term{
		{Name: Applied, Text: "the operation was carried out"},
		{Name: Unchanged, Text: "the operation changes no value"},
		{Name: Undone, Text: "another operation of the update failed, so that this one was taken back"},
		{Name: NotRun, Text: "an operation before it failed"},
	}
	return append(terms, harness.Only(harness.Codes(), Codes()...)...)
}

// Codes lists the codes of single operations.
func Codes() []harness.Code {
	return []harness.Code{
		harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID, harness.DuplicateID, harness.UnknownStep, harness.DoneImmutable, harness.OverCapacity,
		harness.MissingDependency, harness.DependencyCycle, harness.UnknownOperation, harness.DependentsExist,
	}
}

// UpdateTypes lists what the updates of a case can be about, all together.
func UpdateTypes() []harness.Term {
	return []harness.Term{
		{Name: "none", Text: "nothing changed"},
		{Name: "metadata", Text: "name or description"},
		{Name: "structure", Text: "which steps there are, their order or their dependencies"},
		{Name: "content", Text: "what steps say"},
		{Name: "mixed", Text: "several of structure, content and metadata"},
	}
}

// Knobs lists the knobs that change a rule of the dialect.
func Knobs() []string {
	return append(harness.ReadingKnobs(), "on_error", "step_id_names", "positions", "orphans")
}

// Allow is the value of the knob reorder_done by which completed steps move, too.
const Allow = "allow"

// ReorderDone is the knob that says whether a completed step may be moved.
func ReorderDone() harness.Knob {
	return harness.Knob{
		Name: "reorder_done", Text: "a completed step is to be moved", Values: []string{Allow, harness.Reject}, Default: Allow,
	}
}
