package infer

import (
	"cmp"
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// rounds bounds how often all knobs are gone through.
const rounds = 6

// settle finds the profile that explains the answers best.
func (s *search) settle() error {
	s.vary()
	if err := s.cut(); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	for range 3 {
		if err := s.converge(); err != nil {
			return err
		}
		if !s.pair() {
			return nil
		}
	}
	return nil
}

// opening is how many cases choose the profile to begin with.
const opening = 60

// start begins with the profile that explains most of some cases: the declared one,
// or a named set.
func (s *search) start() error {
	var cases []harness.Case
	for i := range uint64(opening) {
		sample := s.source(0, nil).At(s.seed, generators.PlainCases/2+i)
		sample.Case.Profile = nil
		if s.askable(sample.Case) {
			cases = append(cases, sample.Case)
		}
	}
	probes, err := s.asked(cases)
	if err != nil {
		return err
	}
	best := s.explained(s.believed, probes)
	for _, t := range harness.Profiles() {
		named, _ := harness.Named(t.Name)
		named = named.For(s.dialect.Judging.Knobs)
		p := s.believed
		for _, k := range s.knobs { // other knobs keep their declared values
			p = s.with(p, k, k.Get(named))
		}
		if n := s.explained(p, probes); n > best {
			best, s.believed = n, p
		}
	}
	if !slices.ContainsFunc(probes, func(of *probe) bool {
		return of.got.Verdict == harness.Applied && s.explains(s.believed, of)
	}) {
		return s.unlock()
	}
	return nil
}

// unlock is for an engine that applies none of some cases as the rules do, such as one that needs a member which hardly
// any reply has. Where it rejects everything, any value that makes the rules reject explains its answers. So each value
// of a knob is tried on cases made for it, and the engine must apply some.
func (s *search) unlock() error {
	most, believed := 0, s.believed
	for _, k := range s.knobs {
		for _, v := range k.values {
			p := s.with(s.believed, k, v)
			var cases []harness.Case
			source := s.source(1, []harness.Profile{p})
			for i := uint64(0); i < generators.PlainCases && len(cases) < wanted; i++ {
				c := source.At(s.seed, i).Case
				if c.Profile = nil; s.askable(c) && s.answer(c, p).Verdict == harness.Applied {
					cases = append(cases, c)
				}
			}
			probes, err := s.asked(cases)
			if err != nil {
				return err
			}
			if n := s.explained(p, probes); n > most {
				most, believed = n, p
			}
		}
	}
	s.believed = believed
	return nil
}

// converge goes through the knobs until nothing changes.
func (s *search) converge() error {
	for round := range rounds {
		changed := false
		for _, k := range s.knobs {
			probes, err := s.asked(s.look(k, round == 0, wanted))
			if err != nil {
				return err
			}
			counts := collect.Map(k.values, func(v string) int { return s.explained(s.with(s.believed, k, v), probes) })
			now := slices.Index(k.values, k.Get(s.believed))
			best := slices.Index(counts, slices.Max(counts))
			if now < 0 || counts[best] > counts[now] {
				s.believed = s.with(s.believed, k, k.values[best])
				changed = true
			}
		}
		if !changed {
			return nil
		}
	}
	return nil
}

// pair looks for two knobs which, both changed, explain more of all answers, and
// reports whether there are any. Only those that explain something new are tried on
// all answers.
func (s *search) pair() bool {
	var all, open []*probe
	for i := range s.probes {
		of := &s.probes[i]
		if of.got == nil {
			continue
		}
		all = append(all, of)
		if !s.explains(s.believed, of) {
			open = append(open, of)
		}
	}
	if len(open)*100 <= len(all)*(100-Percent)/2 {
		return false
	}
	const most = 40
	some := open[:min(len(open), most)]
	best, profile := len(all)-len(open), harness.Profile{}
	for _, p := range s.pairs() {
		if 4*s.explained(p, some) < len(some) {
			continue
		}
		if n := s.explained(p, all); n > best {
			best, profile = n, p
		}
	}
	if best == len(all)-len(open) {
		return false
	}
	s.believed = profile
	return true
}

// pairs returns the profiles that differ in two knobs.
func (s *search) pairs() (list []harness.Profile) {
	for i, k := range s.knobs {
		for _, v := range k.values {
			if v == k.Get(s.believed) {
				continue
			}
			p := s.with(s.believed, k, v)
			for _, o := range s.knobs[i+1:] {
				for _, w := range o.values {
					if w != o.Get(s.believed) {
						list = append(list, s.with(p, o, w))
					}
				}
			}
		}
	}
	return list
}

// tell returns the result for a knob. If only one value explains anything, but too few probes, it
// asks three times as many.
func (s *search) tell(k knob) (found Knob, err error) {
	var probes []*probe
	for only, most := true, wanted; only && !found.Sure && most <= 3*wanted; most *= 3 {
		if probes, err = s.asked(s.look(k, true, most)); err != nil {
			return Knob{}, err
		}
		found, only = s.weigh(k, probes)
	}
	if found.Told() {
		declared := s.declared
		declared.Profile = s.with(s.believed, k, found.Declared)
		found.Class, found.Example = s.blame(declared, probes)
	}
	return found, nil
}

// weigh returns the result for a knob after some probes. only reports whether one value explains
// most probes that distinguish it from another, and no other value explains one of them.
func (s *search) weigh(k knob, probes []*probe) (found Knob, only bool) {
	found = Knob{Name: k.Name, Declared: k.Get(s.declared.Profile), Probes: len(probes)}
	fits := make([][]bool, len(k.values)) // value, probe
	classes := make([][]int, len(probes)) // probe, value
	profiles := make([]harness.Profile, len(k.values))
	for i, v := range k.values {
		profiles[i] = s.with(s.believed, k, v)
		for _, of := range probes {
			fits[i] = append(fits[i], s.explains(profiles[i], of))
		}
	}
	for n, of := range probes {
		classes[n] = s.classes(of.c, profiles)
	}
	apart := func(i, j int) (n, ofI, ofJ int) {
		for at, class := range classes {
			if class[i] != class[j] {
				n, ofI, ofJ = n+1, ofI+collect.One(fits[i][at]), ofJ+collect.One(fits[j][at])
			}
		}
		return n, ofI, ofJ
	}
	order := make([]int, len(k.values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(count(fits[j]), count(fits[i])), cmp.Compare(collect.One(k.values[j] == k.Get(s.believed)),
			collect.One(k.values[i] == k.Get(s.believed))))
	})
	var heads []int // of the reported values
	for _, i := range order {
		at := slices.IndexFunc(heads, func(h int) bool { n, _, _ := apart(h, i); return n == 0 })
		if at >= 0 {
			found.Values[at].Names = append(found.Values[at].Names, k.values[i])
			continue
		}
		heads = append(heads, i)
		found.Values = append(found.Values, Value{[]string{k.values[i]}, count(fits[i])})
	}
	most, enough := 100*found.Values[0].Explained >= Percent*found.Probes, true
	only = len(heads) > 1
	for _, h := range heads[1:] {
		n, best, other := apart(heads[0], h)
		most = most && 2*other < n
		only = only && other == 0 && 2*best > n
		enough = enough && best >= Enough
	}
	found.Sure = found.Probes >= Enough && (most || only && enough)
	return found, only
}

func count(list []bool) int { return collect.Count(list, func(is bool) bool { return is }) }

// count sums up what all answers say.
func (s *search) count(r *Result) {
	given := map[string]*Given{}
	for _, name := range s.dialect.Members.Optional() {
		r.Given = append(r.Given, Given{Name: name})
	}
	for i := range r.Given {
		given[r.Given[i].Name] = &r.Given[i]
	}
	for i := range s.probes {
		of := &s.probes[i]
		r.Asked++
		if of.got == nil {
			r.Failed++
			continue
		}
		want := s.answer(of.c, s.believed)
		r.Explained += collect.One(s.same(want, of.got))
		if want.Verdict != of.got.Verdict {
			continue
		}
		if want.Verdict == harness.Rejected {
			r.Refused++
			r.SameCode += collect.One(want.Code == of.got.Code)
		}
		for name, g := range given {
			m := s.dialect.Members.Find(name)
			if m.Given(want) {
				g.Probes++
				g.Given += collect.One(m.Given(of.got))
				g.Right += collect.One(m.Given(of.got) && m.Compare(want, of.got) == nil)
			}
		}
	}
}
