package infer

import (
	"cmp"
	"slices"

	"replanbench/harness"
)

// looked is how many cases are looked at for those that need a capability.
const looked = 800

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
			if a.Probes, a.Answered, err = s.ability(a.Name, candidates, lacking(list)); err != nil {
				return nil, err
			}
			lacks := a.Probes >= Enough && 100*a.Answered <= (100-Percent)*a.Probes
			if lacks && (worst < 0 || a.Answered*list[worst].Probes < list[worst].Answered*a.Probes) {
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
	for index := range min(looked, alone(source)) {
		c := source.At(s.seed+1, index).Case
		c.Profile = nil
		if needs := s.dialect.Needs(c); len(needs) > 0 && len(key(c)) <= maxBytes && s.askable(c) {
			list = append(list, candidate{c, needs, s.answer(c, s.believed)})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(len(a.needs), len(b.needs)) })
	return list
}

// ability asks cases that need a capability, and little else.
func (s *search) ability(name string, candidates []candidate, without []string) (probes, answered int, err error) {
	var cases []harness.Case
	for _, c := range candidates {
		lacks := slices.ContainsFunc(c.needs, func(n string) bool { return slices.Contains(without, n) })
		if len(cases) < 2*wanted && slices.Contains(c.needs, name) && !lacks && s.shows(c, name) {
			cases = append(cases, c.Case)
		}
	}
	list, err := s.asked(cases)
	return len(list), s.explained(s.believed, list), err
}

// shows reports whether an engine with the capability and one without can be told
// apart by a case: the case is applied, and, where the capability is a limit, it
// matters.
func (s *search) shows(c candidate, name string) bool {
	limits := c.Limits
	for _, l := range limits.All() {
		if l.Name == name {
			*l.Value = nil
			c.Limits = limits
			return !s.same(s.answer(c.Case, s.believed), c.right)
		}
	}
	return c.right.Verdict == harness.Applied
}
