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
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/history"
	"replanbench/harness/judge"
	"replanbench/harness/mutant"
	"replanbench/harness/outcome"
	"replanbench/harness/plan"
	"replanbench/harness/schema"
	"replanbench/reports/explain"
)

// Dialect is one family of plan edits.
type Dialect struct {
	Name string
	Text string // one line
	// Help is a page of Markdown for authors of engines: a title, what a case holds, what
	// is to be answered, the rules, and as JSON a case and its outcome. "" is none.
	Help string

	// Documents are the members of a case that are JSON, in the order of a
	// scenario's files.
	Documents []document.Document
	// Replies says whether a case holds replies.
	Replies document.Replies
	// Edits says that a case is one plan and a reply that edits it: a function from
	// plan and reply to the new plan is all that an engine needs.
	Edits bool
	// Requests is the plural noun for what engines accept or reject; "" is "updates".
	Requests string
	// Layout says where ids and items stand in documents and replies.
	Layout *document.Layout
	// Scripted says that the replies of a case are a script: a step, or the
	// result of a tool, goes only together with a reply.
	Scripted bool
	// Vocabulary is what outcomes are made of: closed lists.
	Vocabulary harness.Vocabulary
	// Members are those of outcomes.
	Members outcome.Members
	// Eval is the reference: what comes of a case under a profile.
	Eval func(c harness.Case, p harness.Profile) harness.Outcome
	// Climb is Eval with replies that come as they are needed: behind those of the
	// case it asks for one whenever one would be read and none is left. nil is a
	// dialect that no model is asked in.
	Climb func(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome
	// Session is Eval for a case that is a whole run, with replies that come as the run
	// asks for them. nil is a dialect in which a case is one question.
	Session func(c harness.Case, p harness.Profile, answer harness.Answer) harness.Outcome
	// MaxReplies bounds the replies of a session whose plans have at most so many steps.
	MaxReplies func(l harness.Limits, p harness.Profile, steps int) int
	// Protocols are the ways of writing changes that are compared with others.
	Protocols []Protocol
	// Prompts are those by which models are asked; none where there is no Climb.
	Prompts Prompts
	// Score says what the replies of a case did, as those of one request: a first
	// one and its retries. old is the plan of the case, nil where it is unsound or there
	// is none. nil is a dialect that replies are not scored in.
	Score func(c harness.Case, old *plan.Plan, p harness.Profile) Scored
	// Rates are shares of items that are counted beside the rates that all dialects
	// have; see [Scored].
	Rates []harness.Term
	// Calls says how sessions are read in which a tool is called with the whole plan;
	// nil for a dialect that there is no such tool for.
	Calls *corpora.Calls
	// Restate writes the reply that makes a plan, and reports whether it does so out
	// of any other plan under these rules, or out of an empty one alone; "" is a plan
	// that no reply makes. nil is a dialect whose replies state no whole plan.
	Restate func(plan jsontext.Value, p harness.Profile) (reply string, anywhere bool)
	// Needs lists the features that an engine must declare for the case; nil is
	// none for every case.
	Needs func(c harness.Case) []string
	// Traits are what can be planted in samples, in the order of their families.
	Traits []generators.Trait
	// Subjects are themes of traits that are about one thing: a fence round a reply, and
	// one within a text. What an engine gets wrong in several of them is likely one mistake.
	Subjects [][]string
	// Tries names the traits of cases that an author of an engine tries first, beside
	// plain ones: a refusal, members that nobody knows, an empty reply, a larger plan.
	Tries []string
	// Generate makes samples with their labels. The error names an unknown fault
	// and the nearest one that exists.
	Generate func(generators.Options) (*generators.Maker, error)
	// Reason is the true reason of a refusal whose code says only that nothing was
	// applied; nil is the code.
	Reason func(harness.Outcome) harness.Code
	// Explain tells people what came of a case; nil is [explain.Edit].
	Explain func(explain.Subject) []explain.Section
	// Schemas are those of the dialect's documents.
	Schemas []schema.Schema
	// Trim cuts a history down by a policy, for simulations; nil for a dialect
	// that trims none.
	Trim history.Trimmer
	// Judging says how outcomes are judged.
	Judging judge.Rules
	// Defects are ways in which engines are wrong, to see what notices them.
	Defects []mutant.Defect
}

// Mutant returns the engine with a defect of the dialect.
func (d *Dialect) Mutant(m mutant.Defect) harness.Engine {
	return mutant.Engine(d.Name, m, d.Eval, d.Declare(harness.Reference()))
}

// Declare is what an engine says of itself that has all of the dialect, under a
// profile: exact codes, and every member of outcomes.
func (d *Dialect) Declare(p harness.Profile) harness.Declaration {
	return harness.Declaration{
		Profile: p.For(d.Judging.Knobs), Features: []string{harness.FeatureLadder, harness.FeatureProfiles},
		Codes: harness.ExactCodes, Gives: d.Members.Optional(),
	}
}

// Source returns a source of samples.
func (d *Dialect) Source(opts generators.Options) (*generators.Source, error) {
	m, err := d.Generate(opts)
	if err != nil {
		return nil, err
	}
	return generators.NewSource(m), nil
}

// Tell explains a case and what came of it.
func (d *Dialect) Tell(s explain.Subject) explain.Story {
	s.Words, s.Reason = d.Vocabulary, d.Reason
	s.Before, s.Unsound = d.Judging.Plan(s.Case)
	if d.Explain == nil {
		return explain.Tell(s, explain.Edit)
	}
	return explain.Tell(s, d.Explain)
}
