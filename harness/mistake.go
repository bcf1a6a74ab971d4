package harness

import (
	"errors"
	"fmt"
)

// Mistake is an error that the user can correct: an unknown name, an input that
// cannot be used, a file that cannot be written.
type Mistake struct{ cause error }

func (m *Mistake) Error() string { return m.cause.Error() }
func (m *Mistake) Unwrap() error { return m.cause }

// Mistaken marks an error as one that the user can correct; nil stays nil.
func Mistaken(err error) error {
	if err == nil {
		return nil
	}
	return &Mistake{err}
}

// Mistakef makes an error that the user can correct.
func Mistakef(format string, args ...any) error { return &Mistake{fmt.Errorf(format, args...)} }

// DidYouMean suggests the name nearest to a misspelt one: `; did you mean
// "apply"?`, or "" where none is near.
func DidYouMean(got string, names []string) string {
	if n := Nearest(got, names); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// IsMistake reports whether the user can correct what led to the error.
func IsMistake(err error) bool {
	var m *Mistake
	return errors.As(err, &m)
}
