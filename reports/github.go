package reports

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"replanbench/harness/document/escape"
	"replanbench/reports/table"
)

// Limits of GitHub Actions: ten annotations of a kind per step, and 1 MiB per summary.
const (
	annotations      = 10
	summaryFailures  = 100
	summaryItems     = 12
	annotationLength = 1000 // characters
)

// GitHub writes workflow commands for annotations: an error for each failure, a warning
// for each advisory failure, and the verdict last. The last line counts the failures that
// do not fit. Texts of the report cannot become commands.
func (r *Report) GitHub(w io.Writer) error {
	shown, detailOf := map[string]int{}, r.details()
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
			place = fmt.Sprintf("file=%s,line=%d,", property(filepath.ToSlash(f.File)), max(1, f.Line))
		}
		sentence, _, _ := strings.Cut(cmp.Or(f.Message, f.Title, f.ID), "\n")
		title := cmp.Or(string(f.class(detailOf(f))), string(f.Status)) + ": " + sentence
		text := f.ID + ": " + strings.TrimLeft(strings.TrimPrefix(f.reason(), sentence), "; ")
		text = escape.Terminal(strings.TrimSuffix(text, ": ")) + "\nreproduce: " + escape.Terminal(f.Reproduce)
		fmt.Fprintf(w, "::%s %stitle=%s::%s\n", kind, place, property(title), message(text))
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

// StepSummary writes the report as Markdown for a job summary: the answer first, and
// everything else in folded sections, with as many failures as fit.
func (r *Report) StepSummary(w io.Writer) error {
	fmt.Fprintf(w, "### replanbench %s\n\n**%s**\n\n", escape.Markdown(r.Command), escape.Markdown(r.Line()))
	for _, l := range r.wrongLists() {
		l.Markdown(w, summaryItems)
	}
	for _, note := range r.undone() {
		fmt.Fprintf(w, "%s\n\n", escape.Markdown(note))
	}
	for _, s := range r.next(View{Verbose: true}) {
		fmt.Fprintf(w, "%s:\n\n", escape.Markdown(s.Why))
		_, _ = io.WriteString(w, escape.Fence("sh", escape.Terminal(s.Command)+"\n"))
	}
	most := min(summaryFailures, len(r.Failures))
	if most > 0 {
		fmt.Fprintf(w, "<details><summary>%s with differences and commands</summary>\n\n", counted(most, "failure"))
		for _, f := range r.Failures[:most] {
			f.markdown(w)
		}
		fmt.Fprint(w, "</details>\n\n")
	}
	if n := len(r.Failures) - most; n > 0 {
		fmt.Fprintf(w, "%d more failures are omitted here.\n\n", n)
	}
	for _, c := range r.chapters() {
		fmt.Fprintf(w, "<details><summary>%s</summary>\n\n", escape.Markdown(strings.TrimSuffix(c.title+": "+c.line, ": ")))
		for i := range c.tables {
			if err := table.Markdown(w, &c.tables[i]); err != nil {
				return err
			}
		}
		fmt.Fprint(w, "</details>\n\n")
	}
	return nil
}

// message escapes the text of a workflow command: percent signs and newlines (%0A).
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(escape.Cut(s, annotationLength))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",",
		"%2C").Replace(escape.Terminal(escape.Cut(s, annotationLength)))
}
