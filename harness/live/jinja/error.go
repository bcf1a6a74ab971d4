package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error describes an error in a template with its place.
type Error struct {
	Template string
	Line     int // from 1
	Column   int // from 1, in characters; 0 where it is not known
	Message  string
	// Unsupported: Python's Jinja2 may well do what this package cannot.
	Unsupported bool
	// Missing names the variable that the caller did not hand in; "" for other errors.
	Missing string
}

// Error gives TEMPLATE:LINE:COLUMN: MESSAGE, and the way out where there is one.
func (e *Error) Error() string {
	place := fmt.Sprintf("%s:%d", e.Template, e.Line)
	if e.Column > 0 {
		place = fmt.Sprintf("%s:%d", place, e.Column)
	}
	if e.Unsupported {
		return place + ": " + e.Message + ": use --renderer python"
	}
	return place + ": " + e.Message
}

// fault is what parsing and rendering panic with, as text/template does; it
// never leaves the package. Where it arose is known to the one who catches it.
type fault struct {
	message     string
	unsupported bool
	missing     string // a variable
}

// fail reports an error that Python reports too, or an exceeded limit.
func fail(format string, args ...any) { panic(fault{message: fmt.Sprintf(format, args...)}) }

// refuse reports what Python may be able to do.
func refuse(format string, args ...any) {
	panic(fault{message: fmt.Sprintf(format, args...), unsupported: true})
}

// place is the current position of reading or rendering.
type place struct {
	at    int    // an offset into the template
	label string // the filter, test or method that is at work
}

// catch is deferred. It turns a fault into an *Error with its place.
func (t *Template) catch(p *place, err *error) {
	switch f := recover().(type) {
	case nil:
	case *Error: // of an included template
		*err = f
	case fault:
		if p.label != "" {
			f.message = p.label + ": " + f.message
		}
		before := t.source[:p.at]
		lineStart := strings.LastIndexByte(before, '\n') + 1
		*err = &Error{
			Template: t.name, Line: strings.Count(before, "\n") + 1, Column: utf8.RuneCountInString(before[lineStart:]) + 1,
			Message: f.message, Unsupported: f.unsupported, Missing: f.missing,
		}
	default:
		panic(f)
	}
}
