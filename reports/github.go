package reports

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"replanbench/reports/escape"
)

// GitHub shows ten annotations of a kind for a step, and takes a summary of
// 1 MiB.
const (
	annotations      = 10
	summaryFailures  = 100
	annotationLength = 1000 // characters
)

// GitHub writes workflow commands that GitHub Actions shows as annotations: an
// error for each failure, a warning for each advisory one, and the verdict as
// the last. What does not fit is counted. No text of the report can be a
// command of its own.
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

// StepSummary writes the report in Markdown for the summary of a job, with as
// many failures as fit.
func (r *Report) StepSummary(w io.Writer) error { return r.markdown(w, summaryFailures) }

// message escapes the text of a workflow command, in which a newline stands as
// %0A; everything else of harmless text is kept.
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(escape.Cut(s, annotationLength))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(escape.Terminal(escape.Cut(s, annotationLength)))
}
