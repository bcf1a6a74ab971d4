package reports

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/agent/session"
	"replanbench/harness/cause"
	"replanbench/harness/finding"
)

// Evidence is what a failure is about, as far as it can be drawn: the case, and
// what the engine made of it.
type Evidence struct {
	Case  harness.Case     `json:"case"`
	Given *harness.Outcome `json:"given,omitzero"` // absent: the engine gave no answer
	Want  *harness.Outcome `json:"want,omitzero"`  // as far as it is known
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

// told is what a report holds of a failure beside the failure itself.
type told struct {
	evidence *Evidence
	cause    *cause.Cause
	message  string         // of the example of the cause
	turns    []session.Turn // of a session with an agent
}

// told returns what is told of each failure: what it carries itself, or what stands
// under its name in the section of its suite.
func (r *Report) told() func(Failure) told {
	list := map[string]told{}
	if r.Fuzz != nil {
		for i := range r.Fuzz.Campaigns {
			c := &r.Fuzz.Campaigns[i]
			for k := range c.Causes {
				x := told{cause: &c.Causes[k]}
				if f := c.Shows(*x.cause); f != nil {
					x.message, x.evidence = f.Message, findingEvidence(f)
				}
				list[x.cause.Name(c.Dialect)] = x
			}
		}
	}
	if r.Agent != nil {
		for i := range r.Agent.Causes {
			c := &r.Agent.Causes[i]
			list[c.Name(r.Agent.Dialect)] = told{cause: &c.Cause, message: c.Message, turns: c.Session.Turns}
		}
	}
	return func(f Failure) told {
		x := list[f.ID]
		if f.Evidence != nil {
			x.evidence = f.Evidence
		}
		return x
	}
}

func findingEvidence(f *finding.Finding) *Evidence {
	e := &Evidence{Case: f.Case, Given: f.Given, At: f.At}
	if f.Answer.Verdict != "" {
		e.Want = &f.Answer
	}
	return e
}
