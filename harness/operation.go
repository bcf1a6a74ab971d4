package harness

// What can become of an operation of the dialect operations beside a code.
const (
	OperationApplied   = "applied"
	OperationUnchanged = "unchanged"
	OperationUndone    = "undone"
	OperationNotRun    = "not_run"
)

// OperationResults lists what can become of an operation.
func OperationResults() []string {
	list := []string{OperationApplied, OperationUnchanged, OperationUndone, OperationNotRun}
	for _, c := range OperationCodes() {
		list = append(list, string(c))
	}
	return list
}

// OperationTerms lists the same with their meanings.
func OperationTerms() []Term {
	terms := []Term{
		{OperationApplied, "the operation was carried out"},
		{OperationUnchanged, "the operation changes no value"},
		{OperationUndone, "another operation of the update failed, so that this one was taken back"},
		{OperationNotRun, "an operation before it failed"},
	}
	return append(terms, Only(Codes(), OperationCodes()...)...)
}

// OperationCodes lists the codes of single operations.
func OperationCodes() []Code {
	return []Code{
		ExtraField, MissingField, BadType, EmptyID, DuplicateID, UnknownStep, DoneImmutable, OverCapacity,
		MissingDependency, DependencyCycle, UnknownOperation, DependentsExist,
	}
}

// UpdateTypes lists what the updates of a case can be about, all together.
func UpdateTypes() []Term {
	return []Term{
		{"none", "nothing changed"},
		{"metadata", "name or description"},
		{"structure", "which steps there are, their order or their dependencies"},
		{"content", "what steps say"},
		{"mixed", "several of these"},
	}
}

// Knobs4Update lists the knobs that change a rule of the dialect.
func Knobs4Update() []string { return append(ReadingKnobs(), "on_error", "step_id_names", "positions") }
