package infer

import (
	"cmp"
	"context"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/judge"
)

// candidate is a case that may say whether the engine has a capability.
type candidate struct {
	harness.Case
	needs []string
	right *harness.Outcome
}

// abilities finds out what the engine seems to be without: of the capabilities for
// which it answers hardly any case as the rules want it, one after the other, those
// for which it answers least; cases that need one of them say nothing of the others.
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
			if a.lacks() && (worst < 0 || a.Answered*list[worst].Probes < list[worst].Answered*a.Probes) {
				worst = i
			}
		}
		if worst < 0 {
			return list, nil
		}
		list[worst].Without = true
	}
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
		if needs := s.dialect.Needs(c); len(needs) > 0 && len(key(c)) <= maxBytes && s.askable(c) {
			list = append(list, candidate{c, needs, s.answer(c, s.believed)})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(len(a.needs), len(b.needs)) })
	return list
}

// lacks reports whether an engine seems to be without a capability.
func (a *Ability) lacks() bool {
	if a.isLimit() {
		return a.Probes >= Enough && 100*a.Ignored >= Percent*a.Probes
	}
	return a.Probes >= Enough && 100*a.Answered <= (100-Percent)*a.Probes && !a.Unsafe
}

// isLimit reports whether the capability is a limit of a case.
func (a *Ability) isLimit() bool {
	_, ok := unlimited(harness.Case{}, a.Name)
	return ok
}

// unlimited returns a case without a limit; not ok if there is no such limit.
func unlimited(c harness.Case, name string) (_ harness.Case, ok bool) {
	limits := c.Limits
	for _, l := range limits.All() {
		if l.Name == name {
			*l.Value, ok = nil, true
		}
	}
	c.Limits = limits
	return c, ok
}

// ability asks cases that need a capability, and little else.
func (s *search) ability(a *Ability, candidates []candidate, without []string) error {
	var cases []harness.Case
	for _, c := range candidates {
		lacks := slices.ContainsFunc(c.needs, func(n string) bool { return slices.Contains(without, n) })
		if len(cases) < 2*wanted && slices.Contains(c.needs, a.Name) && !lacks && s.shows(c, a.Name) {
			cases = append(cases, c.Case)
		}
	}
	list, err := s.asked(cases)
	a.Probes, a.Answered, a.Ignored, a.Unsafe = len(list), s.explained(s.believed, list), 0, false
	for _, of := range list {
		if free, ok := unlimited(of.c, a.Name); ok {
			a.Ignored += one(s.explains(s.believed, &probe{free, of.got}))
			continue
		}
		a.Unsafe = a.Unsafe || of.got.Verdict == harness.Applied && s.unsafe(of)
	}
	return err
}

// unsafe reports whether an answer breaks a safety check under the believed profile. That a
// change is silently not made is how a missing capability shows, and does not count.
func (s *search) unsafe(of *probe) bool {
	declared := s.declared
	declared.Profile = s.believed
	hello := s.hello
	hello.Dialects = map[string]harness.Declaration{s.dialect.Name: declared}
	result, err := judge.Given(context.Background(), hello, s.dialect.Judging, judge.Options{},
		judge.Item{Case: of.c}, *of.got)
	return err == nil && slices.ContainsFunc(result.Breaks, func(b judge.Break) bool {
		return !b.Advisory && b.Check != check.NoSilentLoss
	})
}

// shows reports whether an engine with the capability and one without can be told
// apart by a case: the case is applied, and, where the capability is a limit, it
// matters.
func (s *search) shows(c candidate, name string) bool {
	if free, ok := unlimited(c.Case, name); ok {
		return c.right.Code != harness.BadLimit && !s.same(s.answer(free, s.believed), c.right)
	}
	return c.right.Verdict == harness.Applied
}
