// Package generate makes samples of the dialect.
package generate

import (
	"github.com/go-json-experiment/json"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

type fault struct {
	generators.Fault
	reply harness.Reply
}

// Entry, Share and Clashes are for the menu.
func (f *fault) Entry() generators.Fault { return f.Fault }
func (f *fault) Share() int              { return 0 }
func (f *fault) Clashes(*fault) bool     { return true }

func faults() []fault {
	return []fault{
		{generators.Fault{Name: "two-words", Family: "text", Text: "the reply holds two words"}, "two words"},
		{generators.Fault{Name: "no-word", Family: "text", Text: "the reply is blank"}, "  "},
	}
}

// Faults lists what can be planted.
func Faults() []generators.Fault { return generators.Listed(faults()) }

type maker struct {
	menu    generators.Menu[fault, *fault]
	profile harness.Profile
}

// New makes a maker of samples.
func New(opts generators.Options) (generators.Maker, error) {
	menu, err := generators.NewMenu(faults(), opts.Faults)
	m := &maker{menu, harness.Reference()}
	if opts.Profile != nil {
		m.profile = *opts.Profile
	}
	return m, err
}

// Make writes a plan of one step and a word.
func (m *maker) Make(c generators.Choices) generators.Sample {
	planted := m.menu.Order(&c)
	pick := func() string { return generators.Pick(&c, []string{"fix", "the", "login", "résumé"}) }
	title, word := pick(), pick()
	before := &plan.Plan{Title: title, Steps: []plan.Step{{ID: "a", Description: "d", Status: plan.Pending}}}
	data, err := json.Marshal(before)
	if err != nil {
		panic(err)
	}
	s := generators.Sample{
		Case:    harness.Case{Dialect: "toy", Plan: data, Replies: []harness.Reply{harness.Reply(word)}},
		Profile: m.profile, Before: before,
	}
	for _, f := range planted {
		s.Case.Replies[0] = f.reply
		s.Faults = append(s.Faults, f.Name)
		s.Want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{"not_a_word"}}
		return s
	}
	after := *before
	after.Title = title + " " + word
	s.Want, s.Valid = generators.Want{Verdict: harness.Applied, Plan: &after}, true
	return s
}
