// Package dialect says what a dialect is: one family of plan edits, as a value
// that holds all that the machinery must know of it.
//
// A dialect is a folder beside this file. Its dialect.go makes the value of its
// rules (the reference), generate (samples with their labels), check (what must
// hold) and defect (mutants of the reference), which are packages of their own:
// generate and check never import rules, so that a label or a check never comes
// from the code that it judges. Package all is the one table. The machinery
// (judging, shrinking, findings, campaigns, reports, commands) asks the value and
// knows no dialect by name.
package dialect

import (
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/judge"
	"replanbench/harness/mutant"
)

// Dialect is one family of plan edits.
type Dialect struct {
	Name string
	Text string // one line

	// Vocabulary is what outcomes are made of: closed lists.
	Vocabulary harness.Vocabulary
	// Eval is the reference: what comes of a case under a profile.
	Eval func(c harness.Case, p harness.Profile) harness.Outcome
	// Needs lists the features that an engine must declare for the case; nil is
	// none for every case.
	Needs func(c harness.Case) []string
	// Faults are what can be planted in samples, in the order of their families.
	Faults []generators.Fault
	// Generate makes samples with their labels. The error names an unknown fault
	// and the nearest one that exists.
	Generate func(generators.Options) (generators.Maker, error)
	// Judging says how outcomes are judged.
	Judging judge.Rules
	// Defects are ways in which engines are wrong, to see what notices them.
	Defects []mutant.Defect
}

// Mutant returns the engine with a defect of the dialect.
func (d *Dialect) Mutant(m mutant.Defect) harness.Engine { return mutant.Engine(d.Name, m, d.Eval) }

// Source returns a source of samples.
func (d *Dialect) Source(opts generators.Options) (*generators.Source, error) {
	m, err := d.Generate(opts)
	if err != nil {
		return nil, err
	}
	return generators.NewSource(m), nil
}
