package reports

import (
	"io"

	"replanbench/harness/dialect/all"
	"replanbench/reports/sarif"
)

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
