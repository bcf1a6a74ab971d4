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
	"replanbench/harness/document"
	"replanbench/harness/judge"
)

// Dialect is one family of plan edits.
type Dialect struct {
	Name string
	Text string // one line

	// Documents are the members of a case that are JSON, in the order of a
	// scenario's files.
	Documents []document.Document
	// Replies says whether a case holds replies.
	Replies document.Replies
	// Edits says that a case is one plan and a reply that edits it: a function from
	// plan and reply to the new plan is all that an engine needs.
	Edits bool
	// Layout says where ids and items stand in documents and replies.
	Layout *document.Layout
	// Scripted says that the replies of a case are a script: a step, or the
	// result of a tool, goes only together with a reply.
	Scripted bool
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
}

// Source returns a source of samples.
func (d *Dialect) Source(opts generators.Options) (*generators.Source, error) {
	m, err := d.Generate(opts)
	if err != nil {
		return nil, err
	}
	return generators.NewSource(m), nil
}
