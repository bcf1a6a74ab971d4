// Package generate makes samples of the dialect.
package generate

import (
	"github.com/go-json-experiment/json"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

type fault struct {
	generators.Trait
	reply harness.Reply
}

// Clashes reports that a reply has one fault only.
func (f fault) Clashes(fault) bool { return true }

func faults() []fault {
	return []fault{
		{generators.Trait{Name: "two-words", Family: "text", Text: "the reply holds two words"}, "two words"},
		{generators.Trait{Name: "no-word", Family: "text", Text: "the reply is blank"}, "  "},
	}
}

// Faults lists what can be planted.
func Traits() []generators.Trait { return generators.Listed(faults()) }

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[fault]{Traits: faults(), MaxSteps: 1, Make: makeSample}.New(opts)
}

// makeSample writes a plan of one step and a word.
func makeSample(d generators.Draw[fault]) generators.Sample {
	pick := func() string { return generators.Pick(&d.Choices, []string{"fix", "the", "login", "résumé"}) }
	title, word := pick(), pick()
	before := &plan.Plan{Title: title, Steps: []plan.Step{{ID: "a", Description: "d", Status: plan.Pending}}}
	data, err := json.Marshal(before)
	if err != nil {
		panic(err)
	}
	after := *before
	after.Title = title + " " + word
	s := generators.Sample{
		Case:    harness.Case{Dialect: "toy", Plan: data, Replies: []harness.Reply{harness.Reply(word)}},
		Profile: d.Profile, Before: before,
		Want: generators.Want{Verdict: harness.Applied, Plan: &after},
	}
	for _, f := range d.Kept() {
		s.Case.Replies[0] = f.reply
		s.Traits = append(s.Traits, f.Name)
		s.Want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{"not_a_word"}}
	}
	return s
}
