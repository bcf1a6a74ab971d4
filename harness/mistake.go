package harness

import (
	"errors"
	"fmt"
	"strings"
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

// Nearest returns the candidate that best matches a misspelt word, or "" if none is near. At
// most one edit, or a third of the letters, may differ, and with several edits the first letter
// must be right. A beginning of a candidate is near.
func Nearest(word string, candidates []string) string {
	const longest = 64
	if word == "" || len(word) > longest {
		return ""
	}
	best, least := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		d := edits(strings.ToLower(word), c)
		if d > 1 && !strings.HasPrefix(strings.ToLower(c), strings.ToLower(word[:1])) {
			continue
		}
		if len(word) > 2 && strings.HasPrefix(c, word) {
			d = 1
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// edits counts the bytes to insert, delete, replace or swap with the next one to make b of a.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
