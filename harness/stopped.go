package harness

import "errors"

// ErrStopped is the error of an engine that was given up: it failed so often
// that it is not asked again. Unlike a [Failure] it blames no case. A run stops
// there and reports what it has.
var ErrStopped = errors.New("the engine was given up")
