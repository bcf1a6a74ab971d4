// Package generate makes samples of the dialect planmode: the script of a session,
// and the code of its first rejected call, noted when the call is written.
//
// The plain session has no fault: the model enters plan mode and writes the plan,
// and the user approves it. Reads and changes come before and after. A trait
// changes where the session begins, or adds calls. What it adds depends only on
// its own choices and on the plain session, so a sample with fewer traits is the
// same session without the calls of the others.
package generate

import (
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// maxCalls bounds the sessions of the dialect planmode, but for what traits add.
const maxCalls = 12

// New returns a Maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[trait]{Traits: traits(), MaxSteps: maxCalls, Make: makeSample}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

// scripter is a sample of the dialect planmode in the making: a session as it
// is meant.
type scripter struct {
	generators.Choices // of who changes the session at the moment
	collect.Joiner

	origin
	lost part       // what a trait of the index takes away, planted or not
	base []textFile // the files of the base; never changed

	path  string // of the plan file, if the case gives its name
	phase string // "" in the mode normal
	asks  bool   // each edit is asked for
	plan  *string
	files []textFile // of the case, without the plan file

	calls []generators.Value
	code  harness.Code // of the first refusal
}

// textFile is a file with what it holds.
type textFile struct{ name, content string }

// Names that scripts write out; none has a word in common with another.
var slugPool = [...]string{
	"calm-baking-fox", "amber-tracing-owl", "brisk-mending-otter", "quiet-sorting-finch", "lucid-folding-crane",
	"mild-stacking-badger",
	"proud-waving-heron", "rosy-digging-mole", "sunny-rowing-seal", "tidy-knitting-wren", "vivid-sailing-gull",
	"zesty-hiking-goat",
}

var sessionPhases = [...]string{"explore", "design", "review", "finalize", "exit"}

// planted is a trait of the sample at its place in the session.
type planted struct {
	trait
	choices generators.Choices
	at      place
}

func makeSample(d generators.Draw[trait]) generators.Sample {
	s := &scripter{Choices: d.Choices, calls: make([]generators.Value, 0, 12)}
	n := 3 + s.Below(4)
	if d.Steps > 0 {
		n = d.Steps
	}
	n = min(n, d.Max)
	agent := false
	var list []planted
	for _, t := range d.Traits {
		p := planted{t, d.Stream(t.Name), t.at}
		if p.at == anywhere {
			p.at = before + place(p.choices.Below(3))
		}
		s.lost |= t.spoils
		n, agent = max(n, p.at.calls()), agent || t.who == agents
		if d.Keeps(t) {
			list = append(list, p)
		}
	}
	s.begin(agent)
	sample := generators.Sample{Profile: d.Profile}
	base := s.Choices
	for i := range list {
		p := &list[i]
		if p.start != nil {
			s.Choices = p.choices
			p.start(s)
			p.choices = s.Choices
		}
		sample.Traits = append(sample.Traits, p.Name)
	}
	sample.Case = s.open()
	s.Choices = base
	script := s.script(n, agent)
	base = s.Choices
	for at := before; at <= after; at++ {
		for _, p := range list {
			if p.at == at && p.plant != nil {
				s.Choices = p.choices
				p.plant(s)
			}
		}
		s.Choices = base
		for _, move := range script[at] {
			move(s)
		}
		base = s.Choices
	}
	s.label(&sample)
	return sample
}

// label writes the calls down, and declares verdict and code.
func (s *scripter) label(sample *generators.Sample) {
	calls := generators.List(s.calls...)
	sample.Case.Calls = calls.Encode(generators.Style{})
	switch {
	case s.broken.code != "":
		s.broken.replace(&sample.Case)
		sample.Want = generators.Refused(s.broken.code)
	case s.code != "":
		sample.Want = generators.Refused(s.code)
	default:
		sample.Want = generators.Want{Verdict: harness.Applied}
	}
}

// script draws the calls of the base, n of them, by their place.
func (s *scripter) script(n int, agent bool) (script [after + 1][]func(*scripter)) {
	if s.lost&aScript != 0 {
		return script
	}
	put := func(at place, move func(*scripter)) { script[at] = append(script[at], move) }
	spine := []func(*scripter){
		(*scripter).enter, func(s *scripter) { s.writePlan("{plan}", s.planText()) },
		(*scripter).leave,
	}
	switch {
	case agent:
		spine = nil
		n = min(n, 3)
	case s.lost&aMode != 0:
		spine = spine[:1]
	}
	for range n - len(spine) {
		read := func(s *scripter) { s.read(generators.Pick(&s.Choices, s.base).name) }
		moves := []func(*scripter){(*scripter).look, read}
		at := before + place(s.Below(2))*(after-before)
		if agent || s.lost&(aPlan|aMode|anEnd) != 0 {
			at = before
		}
		if !agent && (at == after || s.lost&aEntry == 0) {
			moves = append(moves, (*scripter).writeNew)
		}
		put(at, generators.Pick(&s.Choices, moves))
	}
	for i, move := range spine[:min(n, len(spine))] {
		put(before+place(i), move)
	}
	return script
}
