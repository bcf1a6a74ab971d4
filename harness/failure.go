package harness

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
)

// Failure is the error of an [Engine] that failed on a case.
type Failure struct {
	// Kind is Crash (it ended, panicked or answered with an error), Hang (no
	// answer within its deadline) or ProtocolFailure (an answer that is none).
	Kind   Status
	Detail string // what happened, in words
	// Site is where in its source the engine says that it broke (function or
	// file, without numbers of lines), or what of the answer is wrong; "" is not
	// known.
	Site string
	// Stored reports that Site is a value that no plan can have, which the engine stored.
	Stored bool
	Stderr string // the end of what the engine wrote to standard error, if anything
}

// gistWords is how many words of a message name an error.
const gistWords = 8

// Gist returns the first words of the engine's message, without words that are quoted or
// contain anything but letters: those come from the case. Failures from one place of the
// engine's source have one gist.
func (f *Failure) Gist() string {
	var words []string
	text, _, _ := strings.Cut(f.Detail, ";")
	if _, message, ok := strings.Cut(f.Detail, `: "`); ok && f.Kind == Crash {
		text = message
	}
	for word := range strings.FieldsSeq(text) {
		bare := strings.TrimRight(word, `:,.;()"`)
		if bare != "" && strings.IndexFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			words = append(words, bare)
		}
	}
	return strings.Join(words[:min(len(words), gistWords)], " ")
}

// Word names the failure: crash with the place where the engine says that it
// broke, hang, memory, stores with the impossible value, or garbage with the fault of the answer.
func (f *Failure) Word() string {
	switch {
	case f.Kind == Hang:
		return "hang"
	case f.Stored:
		return "stores:" + f.Site
	case f.Kind == ProtocolFailure:
		return "garbage:" + cmp.Or(f.Site, "answer")
	case f.Site == "memory":
		return "memory"
	}
	return "crash:" + cmp.Or(f.Site, "unknown")
}

func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }

// AsFailure makes an error of Eval a Failure. One that is none in itself is a
// crash.
func AsFailure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Kind: Crash, Detail: err.Error()}
}

// ErrStopped is the error of an engine that was given up: it failed so often
// that it is not asked again. Unlike a [Failure] it blames no case. A run stops
// there and reports what it has.
var ErrStopped = errors.New("the engine was given up")
