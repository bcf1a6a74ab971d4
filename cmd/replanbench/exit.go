package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/reports/github"
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

// usageError marks an error that the user can correct by calling differently or
// by correcting an input file.
func usageError(err error) error { return harness.Mistaken(err) }

func usagef(format string, args ...any) error { return harness.Mistakef(format, args...) }

// conclude prints the errors that no report shows, one per line, and returns the gravest
// exit code. In GitHub Actions it also annotates each error.
func conclude(ctx context.Context, e env, err error) int {
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		fmt.Fprintln(e.stderr, "replanbench: interrupted")
		return exitInterrupted
	}
	code, said := exitOK, map[string]bool{"": true}
	for _, part := range joined(err) {
		c, message := verdict(part)
		code = max(code, c)
		if said[message] {
			continue
		}
		said[message] = true
		e.complain(message)
		if e.getenv != nil && e.getenv("GITHUB_ACTIONS") == "true" {
			github.Broken(e.stderr, "replanbench", message)
		}
	}
	return code
}

// complain writes an error of one or more lines to standard error.
func (e env) complain(message string) {
	for line := range strings.Lines(message) {
		e.say("replanbench: " + strings.TrimSuffix(line, "\n"))
	}
}

// verdict returns the exit code for an error, and the message.
// An error that bears no code means that something could not do its work.
func verdict(err error) (code int, message string) {
	var x *exitError
	switch {
	case !errors.As(err, &x) && harness.IsMistake(err):
		return exitUsage, err.Error()
	case x == nil:
		return exitBroken, err.Error()
	case x.cause == nil:
		return x.code, ""
	}
	return x.code, err.Error()
}

// joined lists the errors that errors.Join made one.
func joined(err error) []error {
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	return collect.Flat(list.Unwrap(), joined)
}
