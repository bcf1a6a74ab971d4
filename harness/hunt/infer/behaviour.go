package infer

import (
	"cmp"
	"context"
	"slices"

	"replanbench/harness"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// Behaviours are the values that the engine works by, and the capabilities that it lacks, and does not declare. The
// settings of a profile, with the declaration that [Settings] returns, are what everything else is judged under.
func (r *Result) Behaviours() (list []cause.Behaviour, settings []string) {
	for _, k := range r.Knobs {
		if !k.Told() {
			continue
		}
		list = append(list, cause.Behaviour{
			Knob: k.Name, Declared: k.Declared, Found: k.Found(), Explained: uint64(k.Values[0].Explained),
			Probes: uint64(k.Probes),
			Class:  k.Class, Example: k.Example,
		})
		settings = append(settings, k.Name+"="+k.Found())
	}
	for _, a := range r.Abilities {
		if a.Without {
			list = append(list, cause.Behaviour{
				Knob: cause.Without, Found: a.Name, Explained: uint64(a.Probes - a.Answered), Probes: uint64(a.Probes),
				Class: a.Class, Example: a.Example,
			})
		}
	}
	return list, settings
}

// blame returns the worst class that a quarter or more of the wrong answers show under a declaration, by the checks
// that ask nothing more, and the first answer of this class. Fewer may show another bug.
func (s *search) blame(declared harness.Declaration, probes []*probe) (class judge.Class, example *harness.Case) {
	hello := s.hello
	hello.Dialects = map[string]harness.Declaration{s.dialect.Name: declared}
	shown, wrong := map[judge.Class][]*probe{}, 0
	for _, of := range probes {
		if of.got == nil {
			continue
		}
		result, err := judge.Given(context.Background(), hello, s.dialect.Judging,
			judge.Options{Reference: cause.RightEngine(s.dialect, declared)}, judge.Item{Case: of.c}, *of.got, judge.Reference)
		if err != nil || len(result.Breaks) == 0 {
			continue
		}
		class := slices.MinFunc(result.Breaks, func(a, b judge.Break) int {
			return cmp.Compare(a.Class.Rank(), b.Class.Rank())
		}).Class
		shown[class] = append(shown[class], of)
		wrong++
	}
	for _, class := range judge.Classes() {
		if list := shown[class]; len(list) > 0 && 4*len(list) >= wrong {
			return class, &list[0].c
		}
	}
	return judge.Differs, nil
}
