package reports

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/harness/score"
	"replanbench/reports/github"
	"replanbench/reports/junit"
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
	for _, s := range []string{f.Message, f.Title} {
		if s != "" {
			lines := collect.Map(strings.Split(s, "\n"), escape.Markdown)
			fmt.Fprintf(w, "%s\n\n", strings.Join(lines, "\\\n")) // with hard line breaks
		}
	}
	var b strings.Builder
	for _, d := range f.Differences {
		place, want, got := shown(d)
		fmt.Fprintf(&b, "@ %s\n- expected %s\n+ got      %s\n", place, want, got)
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

// Extensions returns the format of each extension of a file, such as html of ".html".
func Extensions() map[string]string {
	return map[string]string{
		".md": "markdown", ".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet", ".xml": "junit",
		".html": "html", ".tex": "latex", ".sarif": "sarif",
	}
}

// Write writes the report in one of the [Formats].
func (r *Report) Write(w io.Writer, format string) error {
	write := map[string]func(io.Writer) error{
		"table":    func(w io.Writer) error { return r.Terminal(w, View{Columns: width, Verbose: true}) },
		"jsonl":    func(w io.Writer) error { return rows.JSONLines(w, r.records()) },
		"csv":      func(w io.Writer) error { return rows.CSV(w, r.records()) },
		"parquet":  func(w io.Writer) error { return rows.Parquet(w, r.records()) },
		"markdown": r.Markdown, "json": r.JSON, "junit": r.JUnit, "html": r.HTML, "latex": r.LaTeX, "sarif": r.SARIF,
		"github": r.GitHub,
	}[format]
	if write == nil {
		return fmt.Errorf("unknown format %q (choose one of %v)", format, Formats())
	}
	return write(w)
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
		place, want, got := shown(d)
		fmt.Fprintf(w, "  at %s\n    %s\n    %s\n", place,
			p.Paint(style.Good, "expected "+want), p.Paint(style.Bad, "got      "+got))
	}
	fmt.Fprintf(w, "  reproduce: %s\n\n", escape.Terminal(f.Reproduce))
}

// longest limits the characters of a value.
const longest = 2000

// shown returns the difference with values that are shortened and escaped.
func shown(d outcome.Path) (place, want, got string) {
	want, got = escape.Unlike(d.Want, d.Got, longest)
	return escape.Terminal(placeOf(d)), escape.Terminal(want), escape.Terminal(got)
}

func placeOf(d outcome.Path) string { return cmp.Or(d.Pointer, "the outcome") }

// test is a check that a section makes. Its failures have the id.
type test struct{ id, class, name, skipped string }

// JUnit writes the report as JUnit XML: a test case for each scenario, each invariant of
// a campaign, and each other check. A failure contains the command that reproduces it.
func (r *Report) JUnit(w io.Writer) error {
	return junit.Write(w, junit.Report{
		Name: "replanbench " + r.Command, Engine: r.Engine.String(), Started: r.Environment.Started,
		Seconds: r.Environment.Seconds, Suites: r.suitesOfTests(),
	})
}

// suitesOfTests returns a suite for each chapter with tests, for each remaining suite of
// failures, and for each claim that holds. No failure is lost.
func (r *Report) suitesOfTests() (list []junit.Suite) {
	left, claims := slices.Clone(r.Failures), []chapter{}
	for _, c := range r.chapters() {
		if c.tests == nil {
			claims = append(claims, c)
			continue
		}
		s, by := junit.Suite{Name: cmp.Or(c.testsTitle, c.suite)}, map[string][]junit.Failure{}
		var rest []Failure
		left = slices.DeleteFunc(left, func(f Failure) bool {
			switch {
			case !c.has(f):
				return false
			case slices.ContainsFunc(c.tests, func(t test) bool { return t.id == f.ID }):
				by[f.ID] = append(by[f.ID], f.junit())
			default:
				rest = append(rest, f)
			}
			return true
		})
		for _, t := range c.tests {
			s.Tests = append(s.Tests, junit.Test{Class: t.class, Name: t.name, Skipped: t.skipped, Failures: by[t.id]})
		}
		for _, f := range rest {
			dialect, name, _ := strings.Cut(f.ID, "/")
			s.Tests = append(s.Tests, junit.Test{
				Class: "causes/" + dialect, Name: cmp.Or(name, dialect), Failures: []junit.Failure{f.junit()},
			})
		}
		list = append(list, s)
	}
	order, by := grouped(left, func(f Failure) string { return cmp.Or(f.Suite, "failures") })
	for _, name := range order {
		s := junit.Suite{Name: name}
		for _, f := range by[name] {
			s.Tests = append(s.Tests, junit.Test{Class: name, Name: f.ID, Failures: []junit.Failure{f.junit()}})
		}
		list = append(list, s)
	}
	for _, c := range claims {
		if c.claim != "" && by[c.suite] == nil {
			list = append(list, junit.Suite{Name: c.suite, Tests: []junit.Test{{Class: c.suite, Name: c.claim}}})
		}
	}
	return list
}

func (f Failure) junit() junit.Failure {
	x := junit.Failure{
		ID: f.ID, Status: string(f.Status), Reason: f.reason(), Reproduce: f.Reproduce, Advisory: f.Advisory,
		Error: slices.Contains([]harness.Status{harness.Crash, harness.Hang, harness.ProtocolFailure}, f.Status),
	}
	for _, d := range f.Differences {
		place, want, got := shown(d)
		x.Differences = append(x.Differences, [3]string{place, want, got})
	}
	return x
}

// Limits of a summary, which can have 1 MiB.
const (
	summaryFailures = 100
	summaryItems    = 12
)

// GitHub writes workflow commands for annotations: an error for each failure, a warning
// for each advisory failure, and the verdict last. The verdict says why nothing was run.
func (r *Report) GitHub(w io.Writer) error {
	list, detailOf := []github.Annotation(nil), r.details()
	for _, f := range r.Failures {
		sentence, _, _ := strings.Cut(cmp.Or(f.Message, f.Title, f.ID), "\n")
		text := f.ID + ": " + strings.TrimLeft(strings.TrimPrefix(f.reason(), sentence), "; .")
		list = append(list, github.Annotation{
			Title: cmp.Or(string(f.class(detailOf(f))), string(f.Status)) + ": " + sentence,
			Text:  escape.Terminal(strings.TrimSuffix(text, ": ")) + "\nreproduce: " + escape.Terminal(f.Reproduce),
			File:  f.File, Line: f.Line, Advisory: f.Advisory,
		})
	}
	line := r.Line()
	if len(list) == 1 && r.Failures[0].Status == harness.NotRun {
		line, list = line+": "+r.Failures[0].Message, nil
	}
	command, _, _ := strings.Cut(r.Command, " ")
	return github.Write(w, list, "replanbench "+command, line, r.Verdict == Passed)
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

// bytesOfGroup is how many bytes of replies a table keeps in memory.
const bytesOfGroup = 32 << 20

// validUTF8 replaces bytes that are not UTF-8, which a text in Parquet must not contain.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// reply is a request as a row: the first reply and its score. Each field is a column.
type reply struct {
	ID           string   `parquet:"id"`
	Case         string   `parquet:"case"`
	Dialect      string   `parquet:"dialect"`
	Source       string   `parquet:"source"`
	Model        string   `parquet:"model"`
	Prompt       string   `parquet:"prompt"`
	Mode         string   `parquet:"mode"`
	Temperature  *float64 `parquet:"temperature"`
	Params       string   `parquet:"params"` // JSON
	Sample       int64    `parquet:"sample"`
	FinishReason string   `parquet:"finish_reason"`
	Tags         []string `parquet:"tags,list"`
	Reply        string   `parquet:"reply"`

	Unscored string   `parquet:"unscored"`
	Tier     string   `parquet:"tier"`
	Verdict  string   `parquet:"verdict"`
	Code     string   `parquet:"code"`
	Message  string   `parquet:"message"`
	Rung     string   `parquet:"rung"`
	Retries  int64    `parquet:"retries"`
	Danger   bool     `parquet:"danger"`
	Dangers  []string `parquet:"dangers,list"` // KIND:STEP
	Lost     bool     `parquet:"lost"`
	CutOff   bool     `parquet:"cut_off"`
	Intent   string   `parquet:"intent"`
	Changed  string   `parquet:"changed"`

	PromptTokens *int64  `parquet:"prompt_tokens"`
	ReplyTokens  *int64  `parquet:"reply_tokens"`
	LadderTokens *int64  `parquet:"ladder_tokens"`
	PlanTokens   int64   `parquet:"plan_tokens"`
	LatencyMS    float64 `parquet:"latency_ms"`
}

// temperature returns the temperature of a request, or null.
func temperature(r *corpora.Record) *float64 {
	x, err := strconv.ParseFloat(r.Param("temperature"), 64)
	if err != nil {
		return nil
	}
	return &x
}

// Replies writes requests with their scores as Parquet, row by row.
type Replies struct {
	out  *parquet.GenericWriter[reply]
	size int // bytes of replies in the group
}

// NewReplies returns a writer of requests.
func NewReplies(w io.Writer) *Replies { return &Replies{out: rows.NewParquet[reply](w)} }

// Write writes one request.
func (x *Replies) Write(s score.Score, r *corpora.Record) error {
	row := reply{
		ID: s.ID, Case: s.Case, Dialect: r.Dialect, Source: r.Source, Model: r.Model, Prompt: r.Prompt, Mode: r.Mode(),
		Temperature: temperature(r), Params: string(r.Params), Sample: int64(r.Sample),
		FinishReason: r.FinishReason, Tags: slices.Clone(r.Tags), Reply: string(r.Reply),
		Unscored: s.Unscored, Tier: string(s.Tier), Verdict: string(s.Verdict), Code: string(s.Code), Message: s.Message,
		Rung:    string(s.Rung),
		Retries: int64(s.Retries), Danger: s.Danger, Lost: s.Lost, CutOff: s.CutOff, Intent: s.Intent, Changed: s.Changed,
		PromptTokens: known(s.Prompt), ReplyTokens: known(s.Reply), LadderTokens: known(s.Ladder),
		PlanTokens: int64(s.Whole), LatencyMS: r.LatencyMS,
	}
	for _, d := range s.Dangers {
		row.Dangers = append(row.Dangers, d.Kind+":"+d.Step)
	}
	eachText(reflect.ValueOf(&row), validUTF8)
	if _, err := x.out.Write([]reply{row}); err != nil {
		return err
	}
	if x.size += len(row.Reply); x.size < bytesOfGroup {
		return nil
	}
	x.size = 0
	return x.out.Flush()
}

// Close ends the table.
func (x *Replies) Close() error { return x.out.Close() }

// known returns a number of tokens, or null if it is unknown.
func known(tokens int) *int64 {
	if tokens < 0 {
		return nil
	}
	n := int64(tokens)
	return &n
}
