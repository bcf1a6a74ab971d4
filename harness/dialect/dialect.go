// Package dialect defines a dialect: one family of plan edits, as a value
// with everything that the other packages need.
//
// Each dialect is a folder next to this file. Its dialect.go makes the value from its
// packages: rules (the reference), generate (samples with expected outcomes), check
// (invariants) and defect (mutants of the reference).
// Packages generate and check never import rules, so an expected outcome or a check
// never comes from the code that it judges. Package all lists the dialects. The other packages
// (judging, shrinking, findings, campaigns, reports, commands) use the value and
// name no dialect.
package dialect

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/schema"
	"replanbench/harness/history"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// Dialect is one family of plan edits.
// It has a field for each part of the program that a dialect takes part in.
type Dialect struct {
	Name string
	Text string // one line
	// Help is a page of Markdown for authors of engines: a title, the case, the outcome,
	// the rules, and as JSON a case and its outcome. "" means no page.
	Help string

	// Documents are the members of a case that are JSON, in the order of a
	// scenario's files.
	Documents []document.Document
	// Replies says whether a case has replies.
	Replies document.Replies
	// Edits reports that a case is one plan and one reply: a function from
	// plan and reply to the new plan is a complete engine.
	Edits bool
	// Requests is the plural noun for what engines accept or reject; "" is "updates".
	Requests string
	// Layout has the paths of ids and items in documents and replies.
	Layout *document.Layout
	// Scripted reports that the replies of a case are a script: removing a step or the
	// result of a tool also removes a reply.
	Scripted bool
	// Vocabulary has the closed lists of words in outcomes.
	Vocabulary harness.Vocabulary
	// Members are the members of outcomes.
	Members outcome.Members
	// Eval is the reference: it returns the outcome of a case under a profile.
	Eval func(c harness.Case, p harness.Profile) harness.Outcome
	// Climb is Eval with replies on demand: after the replies of the
	// case it requests one whenever it needs one. nil means a
	// dialect without live requests.
	Climb func(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome
	// Session is Eval for a case that is a whole run, with replies that the run
	// requests. nil means that a case is one request.
	Session func(c harness.Case, p harness.Profile, answer harness.Answer) harness.Outcome
	// MaxReplies bounds the replies of a session whose plans have at most so many steps.
	MaxReplies func(l harness.Limits, p harness.Profile, steps int) int
	// Protocols are the ways of writing changes for the comparison of protocols.
	Protocols []Protocol
	// Prompts are the templates for models; empty without Climb.
	Prompts Prompts
	// Score evaluates the replies of a case as one request: a first
	// reply and its retries. old is the plan of the case, nil if it is invalid or
	// absent. A nil Score means that replies are not scored.
	Score func(c harness.Case, old *plan.Plan, p harness.Profile) Scored
	// Calls reads sessions that call a tool with the whole plan; nil for a dialect
	// without such a tool.
	Calls *corpora.Calls
	// Restate writes the reply that makes a plan, and reports whether it does so from
	// any other plan under these rules or only from an empty one. It returns "" if no reply
	// makes the plan. nil means that replies have no whole plan.
	Restate func(plan jsontext.Value, p harness.Profile) (reply string, anywhere bool)
	// Needs lists the features that an engine must declare for the case; nil means
	// none for every case.
	Needs func(c harness.Case) []string
	// Traits can be planted in samples. They are in the order of their families.
	Traits []generators.Trait
	// Subjects groups themes of traits about one thing: a fence around a reply, and
	// a fence in a text. Failures with several of them likely have one cause.
	Subjects [][]string
	// Tries names the traits of the first cases for an author of an engine, in addition to
	// plain ones: a rejection, unknown members, an empty reply, a larger plan.
	Tries []string
	// Generate makes samples with expected outcomes. The error names an unknown trait
	// and the most similar known one.
	Generate func(generators.Options) (*generators.Maker, error)
	// Reason returns the code that caused a rejection whose own code says only that nothing
	// was applied; nil means the code of the outcome.
	Reason func(harness.Outcome) harness.Code
	// Explain explains the outcome of a case; nil means [explain.Edit].
	Explain func(explain.Subject) []explain.Section
	// Schemas are the schemas of the dialect's documents.
	Schemas []schema.Schema
	// Trim trims a history by a policy, for simulations; nil for other
	// dialects.
	Trim history.Trimmer
	// Judging has the checks of outcomes.
	Judging judge.Rules
	// Defects are bugs of engines, to measure which checks detect them.
	Defects []mutant.Defect
}

// Present returns the present name of a trait, which is another one for a former name.
func (d *Dialect) Present(trait string) string {
	for name, former := range d.Vocabulary.Formerly {
		if slices.Contains(former, trait) {
			return name
		}
	}
	return trait
}

// KnobDefects returns a defect for each value of a knob that the reference does not have. A
// script is written for the rules of its edits, so the knobs of edits do not show in it.
func (d *Dialect) KnobDefects() (list []mutant.Defect) {
	words := d.Vocabulary
	if d.Scripted {
		words.Knobs = nil
	}
	reference := collect.Set(collect.Map(words.Settings(),
		func(k harness.Knob) string { return k.Name + "=" + k.Get(harness.Reference()) }))
	for _, m := range mutant.Knobs(words) {
		if m.Name = d.Name + ":" + m.Name; !reference[m.Setting] {
			list = append(list, m)
		}
	}
	return list
}

// Mutant returns an engine with a defect of the dialect.
func (d *Dialect) Mutant(m mutant.Defect) harness.Engine {
	return mutant.Engine(d.Name, m, d.Eval, d.Declare(harness.Reference()))
}

// Declare returns the declaration of an engine that supports the whole dialect, under a
// profile: exact codes, and every member of outcomes.
func (d *Dialect) Declare(p harness.Profile) harness.Declaration {
	return harness.Declaration{
		Profile: p.For(d.Judging.Knobs), Features: []string{harness.FeatureLadder, harness.FeatureProfiles},
		Codes: harness.ExactCodes, Gives: d.Members.Optional(),
	}
}

// Source returns a source of samples. It has no sample for which an engine without the
// capabilities and features of the options lacks something, as far as such samples exist.
func (d *Dialect) Source(opts generators.Options) (*generators.Source, error) {
	if opts.Skip == nil {
		var err error
		if opts.Skip, err = d.Lacking(opts); err != nil {
			return nil, err
		}
	}
	m, err := d.Generate(opts)
	if err != nil {
		return nil, err
	}
	return generators.NewSource(m).Avoiding(d.lacks(opts.Without)), nil
}

// Lacking names the traits that [Dialect.Source] leaves out because their samples need what the
// engine of the options lacks. It draws samples of each trait: a third of a second.
func (d *Dialect) Lacking(opts generators.Options) ([]string, error) {
	lacks := d.lacks(opts.Without)
	if lacks == nil {
		return nil, nil
	}
	m, err := d.Generate(opts)
	if err != nil {
		return nil, err
	}
	return generators.NewSource(m).Avoiding(lacks).Lacking(), nil
}

// lacks reports whether a sample needs something of a list, and sets what it needs; nil if none does.
func (d *Dialect) lacks(without []string) func(*generators.Sample) bool {
	if len(without) == 0 || d.Needs == nil {
		return nil
	}
	ladderOnly := slices.Equal(without, []string{harness.FeatureLadder})
	return func(s *generators.Sample) bool {
		if ladderOnly && len(s.Case.Replies) <= 1 {
			return false
		}
		s.Needs = d.Needs(s.Case)
		return slices.ContainsFunc(s.Needs, func(need string) bool { return slices.Contains(without, need) })
	}
}

// Tell explains a case and its outcome.
func (d *Dialect) Tell(s explain.Subject) explain.Story {
	s.Words, s.Reason = d.Vocabulary, d.Reason
	if d.Judging.Plan != nil {
		s.Before, s.Unsound = d.Judging.Plan(s.Case)
	}
	if d.Explain == nil {
		return explain.Tell(s, explain.Edit)
	}
	return explain.Tell(s, d.Explain)
}
