package reports

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/reports/junit"
)

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
		d = d.shown()
		x.Differences = append(x.Differences, [3]string{d.At, d.Want, d.Got})
	}
	return x
}
