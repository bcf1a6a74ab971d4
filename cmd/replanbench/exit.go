package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"replanbench/reports/escape"
)

// The exit codes.
const (
	exitOK          = 0
	exitGate        = 1   // the gate failed: the result says why
	exitUsage       = 2   // wrong usage, input or configuration
	exitBroken      = 3   // the engine or the harness could not do its work
	exitInterrupted = 130 // interrupted; what was done is reported
)

// exitError carries the exit code that an error leads to. Without a cause
// nothing is printed: the command has said it all already.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

func (e *exitError) Unwrap() error { return e.cause }

// gateFailed ends a command whose report says what failed.
func gateFailed() error { return &exitError{code: exitGate} }

// usageError marks an error that the user can mend by calling differently or
// by correcting an input file.
func usageError(err error) error { return &exitError{exitUsage, err} }

func usagef(format string, args ...any) error { return usageError(fmt.Errorf(format, args...)) }

// finish prints what is left to say of an error, each of several on a line of
// its own, and returns the exit code.
func finish(ctx context.Context, e env, err error) int {
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		fmt.Fprintln(e.stderr, "replanbench: interrupted")
		return exitInterrupted
	}
	code, quiet := exitBroken, false
	if x := (*exitError)(nil); errors.As(err, &x) {
		code, quiet = x.code, x.cause == nil
	}
	if !quiet {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(e.stderr, "replanbench: "+escape.Terminal(strings.TrimSuffix(line, "\n")))
		}
	}
	return code
}
