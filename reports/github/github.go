// Package github writes failures as annotations of GitHub Actions.
package github

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"replanbench/harness/document/escape"
)

// Annotation is a message at a file. File "" is none.
type Annotation struct {
	Title, Text, File string
	Line              int
	Advisory          bool // a warning; otherwise an error
}

// Limits of GitHub Actions: ten annotations of a kind per step.
const (
	annotations      = 10
	annotationLength = 1000 // characters
)

// Write writes workflow commands, and a line about the whole run last. That line counts the
// annotations that do not fit. The texts cannot become commands.
func Write(w io.Writer, list []Annotation, title, line string, passed bool) error {
	shown, left := map[string]int{}, 0
	for _, a := range list {
		kind, place := "error", ""
		if a.Advisory {
			kind = "warning"
		}
		if shown[kind] == annotations-1 {
			left++
			continue
		}
		shown[kind]++
		if a.File != "" {
			place = fmt.Sprintf("file=%s,line=%d,", property(filepath.ToSlash(a.File)), max(1, a.Line))
		}
		fmt.Fprintf(w, "::%s %stitle=%s::%s\n", kind, place, property(a.Title), message(a.Text))
	}
	kind := "error"
	if passed {
		kind = "notice"
	}
	if left > 0 {
		line += fmt.Sprintf(" (%d more failures are in the report)", left)
	}
	_, err := fmt.Fprintf(w, "::%s title=%s::%s\n", kind, property(title), message(escape.Terminal(line)))
	return err
}

// Broken writes an error for a run that has no result.
func Broken(w io.Writer, title, text string) {
	fmt.Fprintf(w, "::error title=%s::%s\n", property(title), message(escape.Terminal(text)))
}

// message escapes the text of a workflow command: percent signs and newlines (%0A).
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(escape.Cut(s, annotationLength))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",",
		"%2C").Replace(escape.Terminal(escape.Cut(s, annotationLength)))
}
