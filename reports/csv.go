package reports

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/reports/measure"
	"replanbench/reports/rows"
	"replanbench/reports/sarif"
	"replanbench/reports/table"
)

// records returns the measures of all sections, and the failures.
func (r *Report) records() []measure.Record {
	k := measure.Keys(nil)
	list := measure.Rows("report", []measure.Table{{Measures: []measure.Measure{
		k.Words("verdict", string(r.Verdict)), k.Words("engine", r.Engine.String()),
	}}})
	statuses := measure.Table{}
	for _, t := range harness.Statuses() {
		n := r.Summary.Counts[harness.Status(t.Name)]
		statuses.Measures = append(statuses.Measures, k.With("status", t.Name).Share("cases", n, r.Summary.Cases))
	}
	list = append(list, measure.Rows("summary", []measure.Table{statuses})...)
	for _, c := range r.chapters() {
		list = append(list, measure.Rows(c.name, c.tables)...)
	}
	failures := measure.Table{}
	for _, f := range r.Failures {
		m := measure.By("suite", f.Suite, "id", f.ID, "status", string(f.Status), "engine", f.Engine).
			Words("failure", f.reason())
		m.Reproduce = f.Reproduce
		failures.Measures = append(failures.Measures, m)
	}
	return append(list, measure.Rows("failure", []measure.Table{failures})...)
}

// latexHead makes the file a document of its own, unless a paper inputs it: within a
// document LaTeX has set \@nodocument to \relax.
const latexHead = `\makeatletter
\ifx\@nodocument\relax\let\replanbenchend\relax\else
  \documentclass{article}
  \usepackage[utf8]{inputenc}
  \usepackage{booktabs,longtable,graphicx}
  \begin{document}
  \def\replanbenchend{\end{document}}
\fi
\makeatother
`

// LaTeX writes the tables of the report in booktabs style. The file compiles alone, and a
// paper that loads booktabs, longtable and graphicx can \input it. Notes are comments.
func (r *Report) LaTeX(w io.Writer) error {
	fmt.Fprintf(w, "%% replanbench %s\n%% %s\n", escape.Terminal(r.Command), escape.Terminal(r.Line()))
	fmt.Fprint(w, "% Compile it with pdflatex, or \\input it in a paper that loads booktabs, longtable and graphicx.\n",
		latexHead)
	written := false
	for _, t := range r.tables() {
		written = table.LaTeX(w, &t) || written
	}
	if !written {
		fmt.Fprintf(w, "\n%s\n", escape.LaTeX(r.Line()))
	}
	_, err := fmt.Fprintln(w, "\n\\replanbenchend")
	return err
}

// SARIF writes the failures as results of a static analysis: one run, with a rule for each
// invariant or suite that has failures. Locations are the scenarios or the engine's file.
func (r *Report) SARIF(w io.Writer) error {
	run := sarif.Run{
		Command: "replanbench " + r.Command, Version: r.Environment.Version, Engine: r.Engine.String(), Line: r.Line(),
		Complete: r.Verdict != Incomplete, Rules: map[string]string{},
	}
	for _, s := range suites() {
		run.Rules[s.name] = s.broken
	}
	for _, s := range r.Sections {
		run.Rules[s.Name] = s.Claim
	}
	for _, c := range all.Checks() {
		run.Rules[c.Name] = c.Text
	}
	for _, f := range r.Failures {
		run.Failures = append(run.Failures, sarif.Failure{
			Rule: f.rule(), ID: f.ID, Fingerprint: f.Suite + "/" + f.ID, Status: string(f.Status), Reason: f.reason(),
			Reproduce: f.Reproduce, Advisory: f.Advisory, File: f.File, Line: f.Line,
		})
	}
	return WriteJSON(w, sarif.Document(run))
}

//go:embed report.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the report document. A test generates
// it from the Go types and keeps it up to date.
func Schema() []byte { return schema }

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

// Formats lists the formats that [Report.Write] knows.
func Formats() []string {
	return []string{"table", "markdown", "json", "jsonl", "csv", "parquet", "junit", "html", "latex", "sarif", "github"}
}

// Write writes the report in one of the [Formats].
func (r *Report) Write(w io.Writer, format string, colour bool) error {
	switch format {
	case "table":
		return r.Terminal(w, View{Colour: colour, Columns: width, Verbose: true})
	case "markdown":
		return r.Markdown(w)
	case "json":
		return r.JSON(w)
	case "jsonl":
		return rows.JSONLines(w, r.records())
	case "csv":
		return rows.CSV(w, r.records())
	case "parquet":
		return rows.Parquet(w, r.records())
	case "junit":
		return r.JUnit(w)
	case "html":
		return r.HTML(w)
	case "latex":
		return r.LaTeX(w)
	case "sarif":
		return r.SARIF(w)
	case "github":
		return r.GitHub(w)
	}
	return fmt.Errorf("reports have no format %q (they have %v)", format, Formats())
}

// JSON writes the report as JSON.
func (r *Report) JSON(w io.Writer) error { return WriteJSON(w, r) }

// WriteJSON writes v indented, with a fixed order of members and a final newline. It
// replaces invalid UTF-8, and keeps duplicate members in the documents of cases.
func WriteJSON(w io.Writer, v any) error {
	err := json.MarshalWrite(w, v, jsontext.WithIndent("  "), json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = io.WriteString(w, "\n")
	return err
}

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
