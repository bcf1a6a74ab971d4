package infer

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
)

// candidate is a case that may say whether the engine has a capability.
type candidate struct {
	harness.Case
	needs []string
	kept  []string // of the needs, those that the right plan shows, such as members of its steps
	right *harness.Outcome
}

// abilities finds out what the engine seems to be without: of the capabilities for
// which it answers hardly any case as the rules want it, one after the other, those
// for which it answers least; cases that need one of them say nothing of the others.
// A capability that plans show is missing if no plan of the engine shows it, whatever else is wrong.
func (s *search) abilities() (list []Ability, err error) {
	if s.dialect.Needs == nil {
		return nil, nil
	}
	candidates := s.candidates()
	for _, t := range s.dialect.Vocabulary.Capabilities {
		if !slices.Contains(s.declared.Without, t.Name) {
			list = append(list, Ability{Name: t.Name})
		}
	}
	for {
		worst := -1
		for i := range list {
			a := &list[i]
			if a.Without {
				continue
			}
			if err := s.ability(a, candidates, lacking(list)); err != nil {
				return nil, err
			}
			if a.lacks() && (worst < 0 || a.worse(&list[worst])) {
				worst = i
			}
		}
		if worst < 0 {
			return list, nil
		}
		list[worst].Without = true
	}
}

// missing finds the capabilities that right plans show, and no plan of the engine. They are found first: nearly every
// answer of an engine without dependencies is wrong, whatever its rules are.
func (s *search) missing() (list []Ability, err error) {
	if s.dialect.Needs == nil {
		return nil, nil
	}
	candidates := s.candidates()
	for _, t := range s.dialect.Vocabulary.Capabilities {
		a := Ability{Name: t.Name}
		if slices.Contains(s.declared.Without, t.Name) || !isShown(candidates, t.Name) ||
			implied(candidates, t.Name, lacking(list)) {
			continue
		}
		if err := s.ability(&a, candidates, nil); err != nil {
			return nil, err
		}
		if a.Without = a.applied >= Enough && a.Answered == 0; a.Without {
			list = append(list, a)
		}
	}
	s.lack(lacking(list)...)
	return list, nil
}

// isShown reports whether plans show a capability.
func isShown(candidates []candidate, name string) bool {
	return slices.ContainsFunc(candidates, func(c candidate) bool { return slices.Contains(c.kept, name) })
}

// implied reports whether all cases that need a capability also need a missing one.
func implied(candidates []candidate, name string, missing []string) bool {
	return slices.ContainsFunc(missing, func(m string) bool {
		return !slices.ContainsFunc(candidates, func(c candidate) bool {
			return slices.Contains(c.needs, name) && !slices.Contains(c.needs, m)
		})
	})
}

// lack takes it that the engine declares to lack some capabilities.
func (s *search) lack(names ...string) {
	s.declared.Without = append(slices.Clip(s.declared.Without), names...)
	s.hello.Dialects = map[string]harness.Declaration{s.dialect.Name: s.declared}
	s.sources = map[string]*generators.Source{}
}

// excuse finds the capabilities that every answer shows, such as versions: the rules explain hardly any answer to a
// plain case, and nearly all if the engine lacks the capability. The rest of the search takes them as declared.
func (s *search) excuse() (list []Ability, err error) {
	if s.dialect.Needs == nil || s.dialect.Judging.Align == nil {
		return nil, nil
	}
	source := s.source(0, nil)
	for _, t := range s.dialect.Vocabulary.Capabilities {
		if slices.Contains(s.declared.Without, t.Name) {
			continue
		}
		var cases []harness.Case
		for i := range uint64(generators.PlainCases) {
			c := source.At(s.seed, i).Case
			c.Profile = nil
			if len(cases) < 2*wanted && !slices.Contains(s.dialect.Needs(c), t.Name) && s.askable(c) {
				cases = append(cases, c)
			}
		}
		probes, err := s.asked(cases)
		if err != nil {
			return nil, err
		}
		a := Ability{Name: t.Name, Probes: len(probes), Answered: s.explained(s.believed, probes)}
		old := s.declared.Without
		s.declared.Without = append(slices.Clip(old), t.Name)
		n := s.explained(s.believed, probes)
		s.declared.Without = old
		if a.Without = a.lacks() && 100*n >= Percent*a.Probes; a.Without {
			a.probes = probes
			list = append(list, a)
			s.lack(t.Name)
		}
	}
	return list, nil
}

func lacking(list []Ability) (names []string) {
	for _, a := range list {
		if a.Without {
			names = append(names, a.Name)
		}
	}
	return names
}

// candidates are the cases under the believed profile that need something.
func (s *search) candidates() (list []candidate) {
	source := s.source(1, []harness.Profile{s.believed})
	for index := range alone(source) {
		c := source.At(s.seed+1, index).Case
		c.Profile = nil
		if needs := s.dialect.Needs(c); len(needs) > 0 && len(key(c)) <= maxBytes && s.askable(c, needs...) {
			right := s.answer(c, s.believed)
			list = append(list, candidate{c, needs, s.shown(right, needs), right})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(len(a.needs), len(b.needs)) })
	return list
}

// shown returns the needs that the plan of an applied outcome has.
func (s *search) shown(out *harness.Outcome, needs []string) []string {
	if out.Verdict != harness.Applied || out.Plan == nil { // the plan of a rejection is the old one
		return nil
	}
	text, err := json.Marshal(out.Plan)
	if err != nil {
		return nil
	}
	has := s.dialect.Needs(harness.Case{Dialect: s.dialect.Name, Plan: text})
	return slices.DeleteFunc(slices.Clone(needs), func(name string) bool { return !slices.Contains(has, name) })
}

// lacks reports whether an engine seems to be without a capability.
func (a *Ability) lacks() bool {
	if a.isLimit() {
		return a.Probes >= Enough && 100*a.Ignored >= Percent*a.Probes
	}
	return a.Probes >= Enough && 100*a.Answered <= (100-Percent)*a.Probes && (a.shown || !a.Unsafe)
}

// worse reports whether the engine answers a smaller share of the probes as the rules want it, or the same share, and
// all probes of the other capability need this one, too.
func (a *Ability) worse(b *Ability) bool {
	if of, than := a.Answered*b.Probes, b.Answered*a.Probes; of != than {
		return of < than
	}
	return slices.Contains(b.all, a.Name) && !slices.Contains(a.all, b.Name)
}

// isLimit reports whether the capability is a limit of a case.
func (a *Ability) isLimit() bool {
	_, ok := relimited(harness.Case{}, a.Name, nil)
	return ok
}

// relimited returns a case with another value of a limit that it has; not ok if there is no such limit.
func relimited(c harness.Case, name string, change func(int) *int) (_ harness.Case, ok bool) {
	limits := c.Limits
	for _, l := range limits.All() {
		if l.Name == name {
			ok = true
			if *l.Value != nil {
				*l.Value = change(**l.Value)
			}
		}
	}
	c.Limits = limits
	return c, ok
}

// Other values of limits: none at all, and one that is far exceeded.
func unlimited(int) *int { return nil }
func halved(n int) *int  { return new((n + 1) / 2) }

// ability asks cases that need a capability, and little else; of one that plans show, cases whose
// right plan shows it.
func (s *search) ability(a *Ability, candidates []candidate, without []string) error {
	a.shown = isShown(candidates, a.Name)
	var cases, partly []candidate // the rules reject a part of the reply of the latter
	for _, c := range candidates {
		lacks := !a.isLimit() && slices.ContainsFunc(c.needs, func(n string) bool { return slices.Contains(without, n) })
		asks := slices.Contains(c.needs, a.Name) && !lacks && s.shows(c, a.Name)
		if a.shown {
			asks = slices.Contains(c.kept, a.Name)
		}
		switch {
		case !asks:
		case s.dialect.Judging.RejectsPart(c.right):
			partly = append(partly, c)
		default:
			cases = append(cases, c)
		}
	}
	if len(cases) < Enough {
		cases = append(cases, partly...)
	}
	cases = cases[:min(len(cases), 2*wanted)]
	a.all = common(cases)
	list, err := s.asked(collect.Map(cases, func(c candidate) harness.Case { return c.Case }))
	if err != nil {
		return err
	}
	a.probes, a.Probes, a.Answered, a.Ignored, a.Unsafe = list, len(list), s.explained(s.believed, list), 0, false
	if a.isLimit() {
		return s.ignored(a, list)
	}
	if a.shown {
		a.Answered, a.applied = 0, 0
	}
	for _, of := range list {
		applied := of.got.Verdict == harness.Applied
		a.applied += collect.One(applied)
		a.Answered += collect.One(a.shown && len(s.shown(of.got, []string{a.Name})) > 0)
		a.Unsafe = a.Unsafe || applied && s.unsafe(of)
	}
	return nil
}

// common lists what all cases need.
func common(cases []candidate) (names []string) {
	for i, c := range cases {
		if i == 0 {
			names = slices.Clone(c.needs)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(c.needs, n) })
	}
	return names
}

// ignored asks the cases of a limit again without it. Of those that the engine then applies, it counts
// the ones that it answers in the same way with the limit and with half of it: whatever else the engine does
// wrong, it does in all three.
func (s *search) ignored(a *Ability, limited []*probe) error {
	a.Probes = 0
	for _, of := range limited {
		var answers []*probe
		for _, change := range []func(int) *int{unlimited, halved} {
			other, _ := relimited(of.c, a.Name, change)
			answer, err := s.asked([]harness.Case{other})
			if err != nil {
				return err
			}
			answers = append(answers, answer...)
		}
		if len(answers) < 2 || answers[0].got.Verdict != harness.Applied {
			continue
		}
		a.Probes++
		a.Ignored += collect.One(s.same(answers[0].got, of.got) && s.same(answers[0].got, answers[1].got))
	}
	return nil
}

// unsafe reports whether an answer shows a bug under the believed profile.
func (s *search) unsafe(of *probe) bool {
	declared := s.declared
	declared.Profile = s.believed
	hello := s.hello
	hello.Dialects = map[string]harness.Declaration{s.dialect.Name: declared}
	result, err := judge.Given(context.Background(), hello, s.dialect.Judging, judge.Options{},
		judge.Item{Case: of.c}, *of.got)
	return err == nil && slices.ContainsFunc(result.Breaks, check.ShowsBug)
}

// shows reports whether a case distinguishes an engine with the capability from one
// without: the case is applied and, if the capability is a limit, the limit matters.
func (s *search) shows(c candidate, name string) bool {
	if free, ok := relimited(c.Case, name, unlimited); ok {
		return c.right.Code != harness.BadLimit && !s.same(s.answer(free, s.believed), c.right)
	}
	return c.right.Verdict == harness.Applied
}
