package reports

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/finding"
)

// Evidence is what a failure is about, as far as it can be drawn: the case, and
// what the engine made of it.
type Evidence struct {
	Case  harness.Case     `json:"case"`
	Given *harness.Outcome `json:"given,omitzero"` // absent: the engine gave no answer
	// At is the place in the last reply that the right answer blames.
	At *string `json:"at,omitzero"`
}

// reason is what went wrong, in a line or two.
func (f Failure) reason() string {
	title, _, _ := strings.Cut(f.Title, "\n")
	parts := slices.DeleteFunc([]string{f.Message, title}, func(s string) bool { return s == "" })
	if len(f.Differences) > 0 {
		d := f.Differences[0]
		parts = append(parts, d.place()+": want "+d.Want+", got "+d.Got)
	}
	var b strings.Builder
	for i, part := range parts {
		switch {
		case i == 0:
		case strings.HasSuffix(parts[i-1], "."):
			b.WriteString(" ")
		default:
			b.WriteString("; ")
		}
		b.WriteString(part)
	}
	return b.String()
}

// rule is the name under which tools group failures of the same kind: the
// invariant of a finding, else the suite.
func (f Failure) rule() string {
	if f.Suite == suiteFuzz {
		if parts := strings.Split(f.ID, "/"); len(parts) > 2 {
			return parts[len(parts)-2]
		}
	}
	if f.Suite == "" {
		return "failure"
	}
	return f.Suite
}

// The suites that tests and rules are named by.
const (
	suiteScenarios = "scenarios"
	suiteFuzz      = "fuzz"
	suiteCorpus    = "corpus"
	suiteTrim      = "trim"
	suiteCalibrate = "calibrate"
	suiteBaseline  = "baseline"
)

// suiteOrder is the place of a failure's suite in a report, which does not depend on
// what was run first.
func suiteOrder(f Failure) int {
	return slices.Index([]string{suiteScenarios, suiteFuzz, suiteCorpus, suiteTrim, suiteCalibrate, suiteAgent, suiteBaseline}, f.Suite)
}

// name is the failure's id, with its engine where there are several.
func (f Failure) name() string {
	if f.Engine == "" {
		return f.ID
	}
	return f.Engine + ": " + f.ID
}

// evidence returns what each failure is about: what it carries itself, or the
// finding of the same name.
func (r *Report) evidence() func(Failure) *Evidence {
	findings := map[string]finding.Finding{}
	if r.Fuzz != nil {
		for i := range r.Fuzz.Campaigns {
			c := &r.Fuzz.Campaigns[i]
			for _, x := range c.Causes {
				if f := c.Shows(x); f != nil {
					findings[x.Name(c.Dialect)] = *f
				}
			}
		}
	}
	return func(f Failure) *Evidence {
		if x, ok := findings[f.ID]; ok && f.Evidence == nil {
			return &Evidence{Case: x.Case, Given: x.Given, At: x.At}
		}
		return f.Evidence
	}
}
