package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/reports/table"
)

// width is the default width of a report, in columns.
const width = 80

// everything writes the tables of all sections and the failures.
func (r *Report) everything(w io.Writer, v View) error {
	p := style.Palette(v.Colour)
	for _, t := range r.tables() {
		if err := table.Terminal(w, &t, p, v.Columns); err != nil {
			return err
		}
	}
	if len(r.Failures) > 0 {
		fmt.Fprintf(w, "%s\n\n", p.Paint(style.Strong, "Failures"))
	}
	for _, f := range r.Failures {
		f.terminal(w, p)
	}
	return nil
}

func (f Failure) terminal(w io.Writer, p style.Palette) {
	status, tone := string(f.Status), statusTone(f.Status)
	if f.Advisory {
		status, tone = status+", advisory", style.Doubtful
	}
	fmt.Fprintf(w, "%s %s\n", p.Paint(tone, status), p.Paint(style.Strong, escape.Terminal(f.name())))
	for line := range strings.SplitSeq(f.Title, "\n") {
		if line != "" {
			fmt.Fprintf(w, "  %s\n", p.Paint(style.Faint, escape.Terminal(line)))
		}
	}
	if f.Message != "" {
		fmt.Fprintf(w, "  %s\n", escape.Terminal(f.Message))
	}
	for _, d := range f.Differences {
		d = d.shown()
		fmt.Fprintf(w, "  at %s\n    %s\n    %s\n", d.At, p.Paint(style.Good, "want "+d.Want),
			p.Paint(style.Bad, "got  "+d.Got))
	}
	fmt.Fprintf(w, "  reproduce: %s\n\n", escape.Terminal(f.Reproduce))
}

// longest limits the characters of a value.
const longest = 2000

// shown returns the difference with values that are shortened and escaped.
func (d Difference) shown() Difference {
	want, got := escape.Unlike(d.Want, d.Got, longest)
	return Difference{escape.Terminal(d.place()), escape.Terminal(want), escape.Terminal(got)}
}

func (d Difference) place() string { return cmp.Or(d.At, "the outcome") }
