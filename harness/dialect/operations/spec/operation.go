package spec

import (
	_ "embed"
	"sync"

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

// Codes lists the codes that reject one operation.
func Codes() []harness.Code {
	return []harness.Code{
		harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID, harness.DuplicateID, harness.UnknownStep,
		harness.DoneImmutable, harness.OverCapacity,
		harness.MissingDependency, harness.DependencyCycle, harness.UnknownOperation, harness.DependentsExist,
	}
}

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// Own lists the knobs that only this dialect has.
func Own() []harness.Knob { return vocabulary().Own }

// Allow is the value of the knob reorder_done that allows moving completed steps.
const Allow = "allow"

// ReorderDone returns the knob that decides whether completed steps may move.
func ReorderDone() harness.Knob { return knob.Find(Own(), "reorder_done") }
