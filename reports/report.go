// Package reports holds the report document and its renderers.
//
// A [Report] is one versioned document that holds facts only; every format is
// rendered from it, so that a stored report can be shown later in any of them:
// tables for a terminal, Markdown, JSON, CSV, JUnit, SARIF, annotations for
// GitHub Actions, LaTeX for papers, and a page of HTML that needs nothing else. [Merger]
// merges shards, and sets engines side by side.
// Each kind of run has a section of its own, a pointer in Report that is nil
// where there was no such run. For the formats that people read, a section
// turns itself into blocks (see view.go): tables and notes. To add one, add its
// type in a file of its own, a field to Report, and a line to sections.
//
// The package judges nothing: verdicts and statuses come from those who ran.
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
	"replanbench/harness/strictjson"
)

// Version is that of the document. It grows when a reader of older documents
// would misunderstand newer ones.
const Version = 1

// Report is what came of a run.
type Report struct {
	V       int     `json:"v"`
	Command string  `json:"command"` // what was run, without its program's name
	Engine  Engine  `json:"engine"`
	Verdict Verdict `json:"verdict"`
	Summary Summary `json:"summary"`

	// League holds several engines side by side, in a report put together from
	// theirs.
	League *League `json:"league,omitzero"`
	// Part says which shards these are of a run that was cut into several.
	Part        *Part        `json:"part,omitzero"`
	Scenarios   *Scenarios   `json:"scenarios,omitzero"`
	Fuzz        *Fuzz        `json:"fuzz,omitzero"`
	Trim        *Trim        `json:"trim,omitzero"`
	Calibration *Calibration `json:"calibration,omitzero"`
	Shown       *Shown       `json:"shown,omitzero"`
	Naming      *Naming      `json:"naming,omitzero"`

	Score      *Score      `json:"score,omitzero"`
	Comparison *Comparison `json:"comparison,omitzero"`

	Live *Live `json:"live,omitzero"`

	Agent *Agent `json:"agent,omitzero"`

	Protocols *Protocols `json:"protocols,omitzero"`

	// History is that of the same run, this one included, where one is kept.
	History *History `json:"history,omitzero"`

	Failures []Failure  `json:"failures"`
	Coverage []Coverage `json:"coverage,omitzero"`
	// Environment holds all that differs between two runs of the same; who
	// compares reports leaves it out.
	Environment Environment `json:"environment"`
}

// Engine is the engine under test as it introduced itself.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
	// Said is what the user says of it in the place of its own declaration, in words.
	Said []string `json:"said,omitempty"`
}

// Verdict is that of the gate.
type Verdict string

// The verdicts.
const (
	Passed     Verdict = "pass"
	Failed     Verdict = "fail"
	Incomplete Verdict = "incomplete" // nothing failed, but not all was run
)

// UnmarshalText accepts the verdicts and no other text.
func (v *Verdict) UnmarshalText(text []byte) error {
	switch got := Verdict(text); got {
	case "", Passed, Failed, Incomplete:
		*v = got
		return nil
	default:
		return fmt.Errorf("unknown verdict %q (the verdicts are pass, fail, incomplete)", got)
	}
}

// check reports members that no run of the program writes.
func (e *Environment) check() error {
	if _, err := time.Parse(time.RFC3339, e.Started); err != nil && e.Started != "" {
		return fmt.Errorf("environment.started: %q is no time in RFC 3339", e.Started)
	}
	foreign := func(r rune) bool { return r <= ' ' || r > '~' || r == '<' }
	for _, m := range [...]struct{ name, text string }{
		{"version", e.Version},
		{"go", e.Go},
		{"os", e.OS},
		{"arch", e.Arch},
	} {
		if len(m.text) > 200 || strings.ContainsFunc(m.text, foreign) {
			return fmt.Errorf("environment.%s: %.60q is no name or version", m.name, m.text)
		}
	}
	return nil
}

// Environment says where and when.
type Environment struct {
	Version string  `json:"version"` // of replanbench
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
	Started string  `json:"started"` // RFC 3339
	Seconds float64 `json:"seconds"`
	Speed   []Speed `json:"speed,omitempty"` // of fuzzing campaigns
}

// New returns a report without results. The command is what was run.
func New(command, version string, hello harness.Hello) *Report {
	return &Report{
		V: Version, Command: command, Engine: Engine{Name: hello.Name, Version: hello.Version}, Failures: []Failure{},
		Environment: Environment{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH},
	}
}

// Summary counts cases by what became of them; the counts add up to Cases.
type Summary struct {
	Cases  int                    `json:"cases"`
	Counts map[harness.Status]int `json:"counts"`
	// Advisory is how many of the failures do not fail the gate, since they
	// are matters of taste.
	Advisory int `json:"advisory"`
}

// Add counts one case.
func (s *Summary) Add(status harness.Status) { s.addMany(status, 1) }

// addMany counts n cases; without any, nothing is noted.
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

// Conclude sets the verdict, from the failures and from what was not run, and
// tells whether the gate passes. A campaign that had no time for a single case
// was not run, and where the engine supports no case, nothing was.
func (r *Report) Conclude() bool {
	r.Verdict = Passed
	slices.SortStableFunc(r.Failures, func(a, b Failure) int { return suiteOrder(a) - suiteOrder(b) })
	s := &r.Summary
	if r.Part != nil && r.Part.Missing != nil || s.Counts[harness.NotRun] > 0 || r.Fuzz.idle() || s.Cases > 0 && s.Counts[harness.NotSupported] == s.Cases {
		r.Verdict = Incomplete
	}
	for _, f := range r.Failures {
		if !f.Advisory {
			r.Verdict = Failed
		}
	}
	return r.Verdict == Passed
}

// Failure is a case that was not as it should be.
type Failure struct {
	Engine string         `json:"engine,omitzero"` // whose it is, in a report of several engines
	Suite  string         `json:"suite"`           // the section that it belongs to: scenarios, fuzz, …
	ID     string         `json:"id"`
	Status harness.Status `json:"status"`
	// File is where it stands, as seen from the directory of the run: the
	// scenario, or the engine's own file.
	File string `json:"file,omitzero"`
	// Advisory: the failure is reported and does not fail the gate.
	Advisory    bool         `json:"advisory,omitzero"`
	Title       string       `json:"title,omitzero"`   // why the case exists
	Message     string       `json:"message,omitzero"` // where there is no outcome to compare
	Differences []Difference `json:"differences,omitempty"`
	Reproduce   string       `json:"reproduce"` // the command line
	// Evidence is the case, where it stands nowhere else in the report: findings
	// of fuzzing stand in its section.
	Evidence *Evidence `json:"evidence,omitzero"`
}

// Difference is a place where an outcome is not as wanted; values are JSON.
type Difference struct {
	At   string `json:"at"` // JSON Pointer into the outcome
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Coverage says how often each of a closed list was met in a run.
type Coverage struct {
	Kind  string  `json:"kind"` // codes, tiers, rungs, …
	Items []Count `json:"items"`
}

// Count is a name and how often it was met; 0 is a gap.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// cover builds a coverage in the order of the list.
func cover(kind string, list []harness.Term, hits map[string]int) Coverage {
	c := Coverage{Kind: kind, Items: make([]Count, len(list))}
	for i, t := range list {
		c.Items[i] = Count{t.Name, hits[t.Name]}
	}
	return c
}

// Decode reads a stored report. Documents of a later version are refused.
func Decode(data []byte) (*Report, error) {
	v, err := versionOf(data)
	if err != nil {
		return nil, fmt.Errorf("not a report: %w", strictjson.Plain(err))
	}
	if string(v) != fmt.Sprint(Version) {
		return nil, fmt.Errorf("a report of version %q, and this program reads version %d (use the program that wrote it, or a newer one)", v, Version)
	}
	r := &Report{}
	if err := json.Unmarshal(data, r, json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, fmt.Errorf("a damaged report: %w", strictjson.Plain(err))
	}
	if err := r.Environment.check(); err != nil {
		return nil, fmt.Errorf("a damaged report: %w", err)
	}
	return r, nil
}

// DecodeAll reads reports that stand one behind the other, as in JSON Lines, each of at
// most so many bytes. An error comes last.
func DecodeAll(in io.Reader, most int64) iter.Seq2[*Report, error] {
	return func(yield func(*Report, error) bool) {
		bounded := &io.LimitedReader{R: in}
		dec := jsontext.NewDecoder(bounded, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		for n := 0; ; n++ {
			bounded.N = most
			value, err := dec.ReadValue()
			switch {
			case err == io.EOF && n > 0 && bounded.N > 0:
				return
			case bounded.N <= 0:
				err = fmt.Errorf("it has more than %d MiB, and no report has", most>>20)
			case err != nil:
				err = fmt.Errorf("not a report: %w", strictjson.Plain(err))
			}
			if err != nil {
				yield(nil, err)
				return
			}
			r, err := Decode(value)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// versionOf reads the version of a document whose members stand once each. Cases
// within it may have members that stand twice.
func versionOf(data []byte) (jsontext.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, cmp.Or(err, errors.New("it is no JSON object"))
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
	_, err := dec.ReadToken() // the end, or what is wrong there
	return version, err
}
