package reports

import (
	"fmt"
	"io"
	"strings"

	"replanbench/harness/document/escape"
	"replanbench/reports/table"
)

// Markdown writes the report as GitHub Flavored Markdown, verdict first.
func (r *Report) Markdown(w io.Writer) error {
	fmt.Fprintf(w, "# replanbench %s\n\n", escape.Markdown(r.Command))
	fmt.Fprintf(w, "**%s**\n\n", escape.Markdown(r.Line()))
	if line := r.Wider.line(); line != "" {
		fmt.Fprintf(w, "%s\n\n", escape.Markdown(line))
	}
	fmt.Fprintf(w, "Engine: %s\n\n", escape.Markdown(r.Engine.String()))
	for _, t := range r.tables() {
		if err := table.Markdown(w, &t); err != nil {
			return err
		}
	}
	if len(r.Failures) > 0 {
		fmt.Fprint(w, "## Failures\n\n")
	}
	for _, f := range r.Failures {
		f.markdown(w)
	}
	_, err := fmt.Fprintf(w, "replanbench %s, %s, %s/%s\n", escape.Markdown(r.Environment.Version),
		escape.Markdown(r.Environment.Go), escape.Markdown(r.Environment.OS), escape.Markdown(r.Environment.Arch))
	return err
}

func (f Failure) markdown(w io.Writer) {
	fmt.Fprintf(w, "### %s: %s\n\n", escape.Markdown(f.name()), escape.Markdown(string(f.Status)))
	if f.Advisory {
		fmt.Fprint(w, "Advisory: the gate does not fail on it.\n\n")
	}
	for _, s := range []string{f.Title, f.Message} {
		if s != "" {
			fmt.Fprintf(w, "%s\n\n", escape.Markdown(strings.ReplaceAll(s, "\n", " ")))
		}
	}
	var b strings.Builder
	for _, d := range f.Differences {
		d = d.shown()
		fmt.Fprintf(&b, "@ %s\n- want %s\n+ got  %s\n", d.At, d.Want, d.Got)
	}
	if b.Len() > 0 {
		_, _ = io.WriteString(w, escape.Fence("diff", b.String()))
	}
	_, _ = io.WriteString(w, escape.Fence("sh", escape.Terminal(f.Reproduce)+"\n"))
}
