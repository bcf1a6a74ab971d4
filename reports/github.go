package reports

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"replanbench/harness/document/escape"
)

// Limits of GitHub Actions: ten annotations of a kind per step, and 1 MiB per summary.
const (
	annotations      = 10
	summaryFailures  = 100
	annotationLength = 1000 // characters
)

// GitHub writes workflow commands for annotations: an error for each failure, a warning
// for each advisory failure, and the verdict last. The last line counts the failures that
// do not fit. Texts of the report cannot become commands.
func (r *Report) GitHub(w io.Writer) error {
	shown := map[string]int{}
	left := 0
	for _, f := range r.Failures {
		kind := "error"
		if f.Advisory {
			kind = "warning"
		}
		if shown[kind] == annotations-1 {
			left++
			continue
		}
		shown[kind]++
		place := ""
		if f.File != "" {
			place = "file=" + property(filepath.ToSlash(f.File)) + ",line=1,"
		}
		text := escape.Terminal(f.reason()) + "\nreproduce: " + escape.Terminal(f.Reproduce)
		fmt.Fprintf(w, "::%s %stitle=%s::%s\n", kind, place, property(string(f.Status)+": "+f.ID), message(text))
	}
	command, _, _ := strings.Cut(r.Command, " ")
	kind, line := "error", r.Line()
	if r.Verdict == Passed {
		kind = "notice"
	}
	if left > 0 {
		line += fmt.Sprintf(" (%d more failures are in the report)", left)
	}
	_, err := fmt.Fprintf(w, "::%s title=%s::%s\n", kind, property("replanbench "+command), message(escape.Terminal(line)))
	return err
}

// StepSummary writes the report as Markdown for a job summary, with as many failures as
// fit.
func (r *Report) StepSummary(w io.Writer) error { return r.markdown(w, summaryFailures) }

// message escapes the text of a workflow command: percent signs and newlines (%0A).
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(escape.Cut(s, annotationLength))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",",
		"%2C").Replace(escape.Terminal(escape.Cut(s, annotationLength)))
}
