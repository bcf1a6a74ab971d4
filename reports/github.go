package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"replanbench/harness/document/escape"
	"replanbench/reports/github"
	"replanbench/reports/table"
)

// Limits of a summary, which can have 1 MiB.
const (
	summaryFailures = 100
	summaryItems    = 12
)

// GitHub writes workflow commands for annotations: an error for each failure, a warning
// for each advisory failure, and the verdict last.
func (r *Report) GitHub(w io.Writer) error {
	list, detailOf := []github.Annotation(nil), r.details()
	for _, f := range r.Failures {
		sentence, _, _ := strings.Cut(cmp.Or(f.Message, f.Title, f.ID), "\n")
		text := f.ID + ": " + strings.TrimLeft(strings.TrimPrefix(f.reason(), sentence), "; ")
		list = append(list, github.Annotation{
			Title: cmp.Or(string(f.class(detailOf(f))), string(f.Status)) + ": " + sentence,
			Text:  escape.Terminal(strings.TrimSuffix(text, ": ")) + "\nreproduce: " + escape.Terminal(f.Reproduce),
			File:  f.File, Line: f.Line, Advisory: f.Advisory,
		})
	}
	command, _, _ := strings.Cut(r.Command, " ")
	return github.Write(w, list, "replanbench "+command, r.Line(), r.Verdict == Passed)
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
