package harness

import "errors"

// Failure is the error of an [Engine] that failed on a case.
type Failure struct {
	// Kind is Crash (it ended, panicked or answered with an error), Hang (no
	// answer within its deadline) or ProtocolFailure (an answer that is none).
	Kind   Status
	Detail string // what happened, in words
	Stderr string // the end of what the engine wrote to standard error, if anything
}

func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }

// AsFailure makes an error of Eval a Failure. One that is none in itself is a
// crash.
func AsFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Kind: Crash, Detail: err.Error()}
}

// ErrStopped is the error of an engine that was given up: it failed so often
// that it is not asked again. Unlike a [Failure] it blames no case. A run stops
// there and reports what it has.
var ErrStopped = errors.New("the engine was given up")
