package infer

import (
	"context"

	"replanbench/harness"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// Behaviours are the values that the engine works by and does not declare, and the
// settings of a profile under which everything else is judged.
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
	return list, settings
}

// blame notes the worst of what the answers break under the declared value of a knob,
// and the first of them, by the checks that ask nothing more.
func (s *search) blame(told *Knob, k knob, probes []*probe) {
	declared := s.declared
	declared.Profile = s.with(s.believed, k, told.Declared)
	hello := s.hello
	hello.Dialects = map[string]harness.Declaration{s.dialect.Name: declared}
	for _, of := range probes {
		if of.got == nil {
			continue
		}
		result, err := judge.Given(context.Background(), hello, s.dialect.Judging,
			judge.Options{Reference: cause.RightEngine(s.dialect, declared)}, judge.Item{Case: of.c}, *of.got, judge.Reference)
		if err != nil {
			continue
		}
		for _, b := range result.Breaks {
			if told.Example == nil || b.Class.Rank() < told.Class.Rank() {
				told.Class, told.Example = b.Class, &of.c
			}
		}
	}
}
