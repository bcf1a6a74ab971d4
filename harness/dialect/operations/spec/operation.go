package spec

import (
	_ "embed"
	"slices"
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

// Failed reports whether a result is the code of an operation that failed.
func Failed(result string) bool {
	return !slices.Contains([]string{Applied, Unchanged, Undone, NotRun}, result)
}

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// Own lists the knobs that only this dialect has.
func Own() []harness.Knob { return vocabulary().Own }

// ReorderDone returns the knob that decides whether completed steps may move.
func ReorderDone() harness.Knob { return knob.Find(Own(), "reorder_done") }
