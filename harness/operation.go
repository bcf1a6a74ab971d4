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
	for _, c := range operationCodes() {
		list = append(list, string(c))
	}
	return list
}

// operationTerms lists the same with their meanings.
func operationTerms() []Term {
	terms := []Term{
		{OperationApplied, "the operation was carried out"},
		{OperationUnchanged, "the operation changes no value"},
		{OperationUndone, "another operation of the update failed, so that this one was taken back"},
		{OperationNotRun, "an operation before it failed"},
	}
	return append(terms, only(Codes(), operationCodes()...)...)
}

// operationCodes lists the codes of single operations.
func operationCodes() []Code {
	return []Code{
		ExtraField, MissingField, BadType, EmptyID, DuplicateID, UnknownStep, DoneImmutable, OverCapacity,
		MissingDependency, DependencyCycle, UnknownOperation, DependentsExist,
	}
}

// UpdateTypes lists what the updates of a case can be about, all together.
func UpdateTypes() []string { return []string{"none", "metadata", "structure", "content", "mixed"} }
