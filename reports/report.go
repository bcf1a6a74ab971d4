// Package reports holds the report document and its renderers.
//
// A [Report] is a versioned document that contains facts only. Every format is rendered
// from it, so users can store a report and render it later: terminal tables, Markdown,
// JSON, CSV, Parquet, JUnit, SARIF, GitHub annotations, LaTeX, and a self-contained HTML
// page. [Merger] merges shards and compares engines.
//
// Each kind of run has its own section, a pointer in Report that is nil without such a
// run. Formats for readers show a section as blocks: tables and notes (see view.go). To
// add a section, add its type in a new file, a field to Report, and a line to chapters.
//
// The package does not judge outcomes: the callers pass verdicts and statuses.
package reports

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/campaign"
)

// Version is the version of the document. It increases when readers of older documents
// would misread newer ones. The program also reads documents of the previous version:
// version 2 added sections of measures, and dropped the table of chosen scores.
const (
	Version  = 2
	previous = 1
)

// Report is the result of a run. It has many fields because each kind of section has one. The
// tag alone names a section that only one of several runs may have, in words.
type Report struct {
	V       int     `json:"v" join:"keep"`
	Command string  `json:"command" join:"keep"` // the command line without the program's name
	Engine  Engine  `json:"engine" join:"keep"`
	Verdict Verdict `json:"verdict" join:"keep"`
	Summary Summary `json:"summary" join:"keep"`
	// Judge is how much of the engine's behaviour is judged. It is absent in reports without
	// an engine to judge and in reports of earlier versions, which judged all.
	Judge harness.Level `json:"judge,omitzero" join:"keep"`
	// Wider is what the next level would add; absent at the widest.
	Wider *Wider `json:"wider,omitzero" join:"keep"`

	// League compares the engines of a merged report.
	League *League `json:"league,omitzero" join:"keep"`
	// Part names the shards that the report covers, if it does not cover the whole run.
	Part        *Part        `json:"part,omitzero" join:"keep"`
	Scenarios   *Scenarios   `json:"scenarios,omitzero"`
	Fuzz        *Fuzz        `json:"fuzz,omitzero" join:"keep"`
	Trim        *Trim        `json:"trim,omitzero" alone:"trimming"`
	Calibration *Calibration `json:"calibration,omitzero" alone:"a calibration"`
	Shown       *Shown       `json:"shown,omitzero" alone:"a table of scenarios and defects"`
	Naming      *Naming      `json:"naming,omitzero" join:"first" alone:"a measure of causes"`
	Score       *Score       `json:"score,omitzero" join:"keep" alone:"scores"`
	Comparison  *Comparison  `json:"comparison,omitzero" join:"first" alone:"a comparison"`
	Live        *Live        `json:"live,omitzero" join:"keep" alone:"a run against models"`
	Agent       *Agent       `json:"agent,omitzero" join:"keep" alone:"sessions with an agent"`
	Protocols   *Protocols   `json:"protocols,omitzero" join:"first" alone:"a comparison of protocols"`

	// Sections consist of measures alone.
	Sections []Section `json:"sections,omitempty" join:"keep"`

	// History lists the earlier results of the same run and this one, if a history file exists.
	History *History `json:"history,omitzero" join:"keep"`

	Failures []Failure  `json:"failures" join:"keep"`
	Coverage []Coverage `json:"coverage,omitzero" join:"by=Kind"`
	// Environment contains everything that differs between two equal runs. Ignore it when
	// comparing reports.
	Environment Environment `json:"environment" join:"keep"`
}

// Engine is the engine under test as it introduces itself.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
	// Said describes how the user overrides the engine's declaration.
	Said []string `json:"said,omitempty"`
}

// Verdict is the verdict of the gate.
type Verdict string

// The verdicts.
const (
	Passed     Verdict = "pass"
	Failed     Verdict = "fail"
	Incomplete Verdict = "incomplete" // nothing failed, but parts of the run are missing
)

// UnmarshalText accepts only the verdicts.
func (v *Verdict) UnmarshalText(text []byte) error {
	switch got := Verdict(text); got {
	case "", Passed, Failed, Incomplete:
		*v = got
		return nil
	default:
		return fmt.Errorf("unknown verdict %q (the verdicts are pass, fail, incomplete)", got)
	}
}

// check returns an error for values that the program never writes.
func (e *Environment) check() error {
	if _, err := time.Parse(time.RFC3339, e.Started); err != nil && e.Started != "" {
		return fmt.Errorf("environment.started: %q is not an RFC 3339 time", e.Started)
	}
	foreign := func(r rune) bool { return r <= ' ' || r > '~' || r == '<' }
	for _, m := range [...]struct{ name, text string }{
		{"version", e.Version},
		{"go", e.Go},
		{"os", e.OS},
		{"arch", e.Arch},
	} {
		if len(m.text) > 200 || strings.ContainsFunc(m.text, foreign) {
			return fmt.Errorf("environment.%s: %.60q is not a name or version", m.name, m.text)
		}
	}
	return nil
}

// Environment says where, when and how fast a run was.
type Environment struct {
	Version string  `json:"version"` // of replanbench
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
	Started string  `json:"started"` // RFC 3339
	Seconds float64 `json:"seconds"`
	Speed   []Speed `json:"speed,omitempty"` // of fuzzing campaigns
}

// New returns a report without results. The command is the command line of the run.
func New(command, version string, hello harness.Hello) *Report {
	return &Report{
		V: Version, Command: command, Engine: Engine{Name: hello.Name, Version: hello.Version}, Failures: []Failure{},
		Environment: Environment{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH},
	}
}

// Summary counts cases by status. The counts add up to Cases.
type Summary struct {
	Cases  int                    `json:"cases"`
	Counts map[harness.Status]int `json:"counts"`
	// Advisory is how many failures do not fail the gate.
	Advisory int `json:"advisory"`
}

// Add counts one case.
func (s *Summary) Add(status harness.Status) { s.addMany(status, 1) }

// addMany counts n cases. It adds no status if n is 0.
func (s *Summary) addMany(status harness.Status, n int) {
	if n == 0 {
		return
	}
	if s.Counts == nil {
		s.Counts = map[harness.Status]int{}
	}
	s.Cases += n
	s.Counts[status] += n
}

// know makes n cases with a status known.
func (s *Summary) know(status harness.Status, n int) {
	if s.addMany(status, -n); s.Counts[status] == 0 {
		delete(s.Counts, status)
	}
	s.addMany(harness.Known, n)
}

// Conclude sets the verdict and reports whether the gate passes. The verdict is
// incomplete if cases were not run, if a campaign ran no case, or if the engine supports
// no case.
func (r *Report) Conclude() bool {
	r.Verdict, r.Wider = Passed, r.wider()
	r.explain()
	r.rankFailures(r.Failures)
	s := &r.Summary
	if r.Part != nil && r.Part.Missing != nil || s.Counts[harness.NotRun] > 0 ||
		slices.ContainsFunc(r.campaigns(), idle) || s.Cases > 0 && s.Counts[harness.NotSupported] == s.Cases {
		r.Verdict = Incomplete
	}
	s.Advisory = 0
	for _, c := range r.campaigns() {
		for _, x := range c.Causes {
			if x.Advisory { // which is no failure
				s.Advisory++
			}
		}
	}
	for _, f := range r.Failures {
		if f.Advisory {
			s.Advisory++
		} else {
			r.Verdict = Failed
		}
	}
	return r.Verdict == Passed
}

// Failure is a case, a cause or a condition with a wrong result.
type Failure struct {
	Engine string         `json:"engine,omitzero"` // in a report of several engines
	Suite  string         `json:"suite"`           // its section: scenarios, fuzz, …
	ID     string         `json:"id"`
	Status harness.Status `json:"status"`
	// File is the path of the scenario or of the engine's file, relative to the directory
	// of the run.
	File string `json:"file,omitzero"`
	// Line is the line of the file to look at; absent: the first.
	Line int `json:"line,omitzero"`
	// Advisory: the failure is reported and does not fail the gate.
	Advisory    bool           `json:"advisory,omitzero"`
	Title       string         `json:"title,omitzero"`   // why the case exists
	Message     string         `json:"message,omitzero"` // if there are no Differences
	Differences []outcome.Path `json:"differences,omitempty"`
	Reproduce   string         `json:"reproduce"`      // the command line
	Cases       uint64         `json:"cases,omitzero"` // that show a cause
	// Evidence is the case, unless a section of the report contains it (findings of fuzzing).
	Evidence *Evidence `json:"evidence,omitzero"`
}

// Coverage says how often each name of a closed list occurs in a run.
type Coverage struct {
	Kind  string  `json:"kind"` // codes, tiers, rungs, …
	Items []Count `json:"items" join:"by=Name"`
}

// Count is a name with its number of occurrences. 0 is a gap in the coverage.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// cover returns a coverage in the order of the list.
func cover(kind string, list []harness.Term, hits campaign.Tally) Coverage {
	c := Coverage{Kind: kind, Items: make([]Count, len(list))}
	for i, t := range list {
		c.Items[i] = Count{t.Name, int(hits[t.Name])}
	}
	return c
}

// Decode reads a stored report. It rejects documents of other versions.
func Decode(data []byte) (*Report, error) {
	v, err := versionOf(data)
	if err != nil {
		return nil, fmt.Errorf("not a report: %w", strictjson.Plain(err))
	}
	if v == nil {
		return nil, errors.New("not a report: it has no version (report, compare and --earlier read what --format json " +
			"wrote; for recorded replies use score)")
	}
	if s := string(v); s != fmt.Sprint(Version) && s != fmt.Sprint(previous) {
		return nil, fmt.Errorf("the report has version %q, and this program reads the versions %d and %d (use the program "+
			"that wrote it, or a newer one)", v, previous, Version)
	}
	r := &Report{}
	if err := json.Unmarshal(data, r, json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(true),
		json.WithUnmarshalers(json.UnmarshalFromFunc(readScore))); err != nil {
		var record struct {
			Case jsontext.Value `json:"case"`
		}
		if json.Unmarshal(data, &record) == nil && record.Case != nil {
			return nil, errors.New("a corpus, not a report (for recorded replies use score)")
		}
		if _, past := DecodePast(data); past == nil {
			return nil, errors.New("a history, not a report (give its directory to --earlier)")
		}
		return nil, fmt.Errorf("a damaged report: %w", strictjson.Plain(err))
	}
	if r.Verdict == "" && r.Command == "" {
		return nil, errors.New("not a report: it has neither a verdict nor a command")
	}
	r.V = Version
	if err := r.Environment.check(); err != nil {
		return nil, fmt.Errorf("a damaged report: %w", err)
	}
	return r, nil
}

// split reads the texts of consecutive reports, such as JSON Lines, each of at most `most`
// bytes. It stops after the first error.
func split(in io.Reader, most int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		bounded := &io.LimitedReader{R: in}
		dec := jsontext.NewDecoder(bounded, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		for n := 0; ; n++ {
			bounded.N = most
			value, err := dec.ReadValue()
			switch {
			case errors.Is(err, io.EOF) && n > 0 && bounded.N > 0:
				return
			case bounded.N <= 0:
				err = fmt.Errorf("it is larger than %d MiB, the limit for reports", most>>20)
			case err != nil:
				err = fmt.Errorf("not a report: %w", strictjson.Plain(err))
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(bytes.Clone(value), nil) {
				return
			}
		}
	}
}

// versionOf reads the version of a document. It rejects duplicate members of the document,
// but not of the cases in it.
func versionOf(data []byte) (jsontext.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, cmp.Or(err, errors.New("it is not a JSON object"))
	}
	var version jsontext.Value
	seen := map[string]bool{}
	for dec.PeekKind() == '"' {
		t, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := t.String()
		if seen[name] {
			return nil, fmt.Errorf("duplicate member %q", name)
		}
		seen[name] = true
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if name == "v" {
			version = value.Clone()
		}
	}
	_, err := dec.ReadToken() // the end, or an error
	return version, err
}
