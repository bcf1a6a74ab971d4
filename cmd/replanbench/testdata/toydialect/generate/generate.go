// Package generate makes samples of the dialect.
package generate

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
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

// Traits lists what can be planted.
func Traits() []generators.Trait { return generators.Listed(faults()) }

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[fault]{Traits: faults(), MaxSteps: 1, Make: makeSample}.New(opts)
}

// makeSample writes a page of two words and a word.
func makeSample(d generators.Draw[fault]) generators.Sample {
	pick := func() string { return generators.Pick(&d.Choices, []string{"fix", "the", "login", "résumé"}) }
	words := []string{pick(), pick()}
	word := pick()
	s := generators.Sample{
		Case:    harness.Case{Dialect: "note", Replies: []harness.Reply{harness.Reply(word)}},
		Profile: d.Profile,
		Want: generators.Want{Verdict: harness.Applied, More: &harness.Outcome{
			More: map[string]jsontext.Value{"page": page(append(words, word))},
		}},
	}
	s.Case.SetDocument("page", page(words))
	for _, f := range d.Kept() {
		s.Case.Replies[0] = f.reply
		s.Traits = append(s.Traits, f.Name)
		s.Want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{"not_a_word"}}
	}
	return s
}

func page(words []string) jsontext.Value {
	data, err := json.Marshal(map[string][]string{"words": words})
	if err != nil {
		panic(err) // texts marshal
	}
	return data
}
