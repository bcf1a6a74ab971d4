package jinja

import (
	"errors"
	"fmt"
)

// Error says what is wrong with a template, and where.
type Error struct {
	Template string
	Line     int // from 1
	Message  string
	// Unsupported: Python's Jinja2 may well do what this package cannot.
	Unsupported bool
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d: %s", e.Template, e.Line, e.Message)
	if e.Unsupported {
		s += " (only Python's Jinja2 can do that)"
	}
	return s
}

// fault is an error that does not know yet where it stands.
type fault struct {
	message     string
	unsupported bool
}

func (f *fault) Error() string { return f.message }

func faultf(format string, args ...any) error {
	return &fault{message: fmt.Sprintf(format, args...)}
}

func unsupportedf(format string, args ...any) error {
	return &fault{fmt.Sprintf(format, args...), true}
}

// at gives an error its place, unless it has one.
func at(err error, template string, line int) error {
	var placed *Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	e := &Error{Template: template, Line: line, Message: err.Error()}
	var f *fault
	if errors.As(err, &f) {
		e.Unsupported = f.unsupported
	}
	return e
}
