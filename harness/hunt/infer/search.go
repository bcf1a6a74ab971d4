package infer

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/collect"
)

// knob is a knob with the values that are tried.
type knob struct {
	harness.Knob
	values []string
}

// probe is a case that the engine was asked.
type probe struct {
	c   harness.Case
	got *harness.Outcome // nil: no answer
}

// search is the state of an inference.
type search struct {
	dialect  *dialect.Dialect
	hello    harness.Hello
	declared harness.Declaration
	seed     uint64
	knobs    []knob
	believed harness.Profile
	ask      func(harness.Case) (*harness.Outcome, error)
	probes   []probe
	places   map[string]int // of the probes, by their cases
	sources  map[string]*generators.Source
	skip     []string            // traits that need what the engine lacks
	hot      map[string][]string // traits that showed a knob, by its name
	found    map[string][]harness.Case
	varied   []harness.Case
}

func newSearch(d *dialect.Dialect, hello harness.Hello, seed uint64) *search {
	s := &search{
		dialect: d, hello: hello, declared: hello.Dialects[d.Name], seed: seed,
		places: map[string]int{}, sources: map[string]*generators.Source{}, hot: map[string][]string{},
		found: map[string][]harness.Case{},
	}
	s.believed = s.declared.Profile.For(d.Judging.Knobs)
	for _, k := range d.Vocabulary.Settings() {
		if s.declared.Arguments == harness.ParsedArguments && readsText(k.Name) {
			continue
		}
		values := slices.Concat(generators.Values(k), k.Rare)
		for _, v := range []string{k.Get(harness.Reference()), k.Get(s.believed)} {
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		s.knobs = append(s.knobs, knob{k, values})
	}
	slices.SortStableFunc(s.knobs, func(a, b knob) int { return cmp.Compare(first(a), first(b)) })
	able := s.source(0, nil).Traits()
	s.sources, s.skip = map[string]*generators.Source{}, []string{}
	for _, t := range d.Traits {
		if !slices.ContainsFunc(able, func(a generators.Trait) bool { return a.Name == t.Name }) {
			s.skip = append(s.skip, t.Name)
		}
	}
	return s
}

// readsText reports whether a knob only matters for replies that are text.
func readsText(knob string) bool {
	return strings.HasPrefix(knob, "reading.") || knob == "duplicate_keys"
}

// first orders knobs. Reading and the ladder hide most of the others, but coercion also
// strips unknown members, which another knob decides.
func first(k knob) int {
	switch {
	case k.List:
		return 0
	case k.Name == "reading.coerce":
		return 3
	case strings.HasPrefix(k.Name, "reading."):
		return 1
	}
	return 2
}

// with is a profile with another value of a knob.
func (s *search) with(p harness.Profile, k knob, value string) harness.Profile {
	if err := p.Set(k.Name, value, s.dialect.Judging.Knobs...); err != nil {
		panic(err) // the values are the knob's own
	}
	return p
}

// answer is what the rules give for a case.
func (s *search) answer(c harness.Case, p harness.Profile) *harness.Outcome {
	out := s.dialect.Eval(c, p)
	return &out
}

// same reports whether two answers are equal in all members that the engine declares to
// give.
func (s *search) same(want, got *harness.Outcome) bool {
	if want.Verdict != got.Verdict {
		return false
	}
	if s.declared.Codes == harness.ExactCodes && want.Code != got.Code && got.Code != harness.Refused {
		return false
	}
	return s.dialect.Members.Compare(want, got, s.declared.GivesMember) == nil
}

// wanted is how many probes are asked for each two values of a knob.
const wanted = 12

// Small cases distinguish values as well as large ones.
const (
	maxSteps = 6
	maxBytes = 4000
)

// alone is how many cases of a source have no trait, or one.
func alone(source *generators.Source) uint64 {
	return generators.PlainCases + generators.AloneCases*uint64(len(source.Traits()))
}

// choice is the cases that distinguish values of a knob.
type choice struct {
	*search
	rest  []harness.Profile // the believed profile, with each value
	pairs map[[2]int]int    // cases that distinguish two values
	most  int               // cases wanted of a pair
	open  int               // pairs that lack some
	seen  map[string]bool
	list  []harness.Case
	bytes int // how large a case may be
}

// look finds cases to which the rules answer differently under the values of a knob. The
// other knobs have their assumed values. It tries cases that distinguished values before,
// then cases with the traits of such cases, and then, if it is thorough, all others, until it
// has so many for each two values.
func (s *search) look(k knob, thorough bool, most int) []harness.Case {
	n := len(k.values)
	c := &choice{
		search: s, pairs: map[[2]int]int{}, most: most, open: n * (n - 1) / 2, seen: map[string]bool{}, bytes: maxBytes,
	}
	if k.Name == cuts {
		c.bytes = longBytes
	}
	for _, v := range k.values {
		c.rest = append(c.rest, s.with(s.believed, k, v))
	}
	for _, x := range slices.Concat(s.found[k.Name], s.varied) {
		c.take(x)
	}
	for round := range uint64(generators.AloneCases) {
		c.round(round, func(trait string) bool { return slices.Contains(s.hot[k.Name], trait) }, func(string) {})
	}
	if thorough {
		c.round(0, func(trait string) bool { return !slices.Contains(s.hot[k.Name], trait) }, func(trait string) {
			s.hot[k.Name] = append(s.hot[k.Name], trait)
		})
	}
	s.found[k.Name] = c.list
	return c.list
}

// round visits the cases of each source that have one trait, once, and returns the traits
// that distinguished values.
func (c *choice) round(round uint64, of func(trait string) bool, told func(trait string)) {
	for at := range len(c.rest) + 1 {
		source := c.source(at, c.rest)
		n := uint64(len(source.Traits()))
		for i := range n {
			index := generators.PlainCases + round*n + i
			traits := source.Holds(c.seed, index)
			if c.open == 0 || len(traits) == 0 || !of(traits[0]) {
				continue
			}
			sample := source.At(c.seed, index)
			sample.Case.Profile = nil
			if c.take(sample.Case) {
				told(traits[0])
			}
		}
	}
}

// take adds a case if it distinguishes two values that too few cases distinguish.
func (c *choice) take(x harness.Case) (news bool) {
	name := key(x)
	if c.seen[name] || len(name) > c.bytes || !c.askable(x) {
		return false
	}
	c.seen[name] = true
	classes := c.classes(x, c.rest)
	for i := range classes {
		for j := range i {
			if classes[i] == classes[j] {
				continue
			}
			pair := [2]int{i, j}
			if c.pairs[pair]++; c.pairs[pair] == c.most {
				c.open--
			}
			news = news || c.pairs[pair] <= c.most
		}
	}
	if news {
		c.list = append(c.list, x)
	}
	return news
}

// source makes cases with rules of their own, or, of a place behind 0, those under
// one of the profiles.
func (s *search) source(at int, profiles []harness.Profile) *generators.Source {
	opts := generators.Options{Without: s.declared.Lacks(), MaxSteps: maxSteps, Skip: s.skip}
	name := ""
	if at > 0 {
		opts.Profile = &profiles[at-1]
		name = s.name(profiles[at-1])
	}
	if s.sources[name] == nil {
		source, err := s.dialect.Source(opts)
		if err != nil {
			panic(err) // no trait was named
		}
		s.sources[name] = source
	}
	return s.sources[name]
}

// name returns a key that is different for different profiles.
func (s *search) name(p harness.Profile) string {
	values := collect.Map(s.knobs, func(k knob) string { return k.Get(p) })
	return strings.Join(values, "|")
}

// askable reports whether the engine can be asked the case. needs are what it needs, if the caller has them.
func (s *search) askable(c harness.Case, needs ...string) bool {
	_, lack := s.dialect.Judging.Resolve(s.hello, c, needs...)
	return lack.Reason == ""
}

// classes numbers the profiles so that those have one number under which the rules
// give one answer.
func (s *search) classes(c harness.Case, profiles []harness.Profile) []int {
	numbers := make([]int, len(profiles))
	var answers []*harness.Outcome
	for i, p := range profiles {
		out := s.answer(c, p)
		n := slices.IndexFunc(answers, func(o *harness.Outcome) bool { return s.same(o, out) })
		if n < 0 {
			n = len(answers)
			answers = append(answers, out)
		}
		numbers[i] = n
	}
	return numbers
}

// key identifies a case of a dialect.
func key(c harness.Case) string {
	var b strings.Builder
	for name, value := range c.Documents() {
		b.WriteString(name + "\x00" + string(value) + "\x00")
	}
	for _, r := range c.Replies {
		b.WriteString(string(r) + "\x00")
	}
	for _, l := range c.Limits.All() {
		if *l.Value != nil {
			b.WriteString(l.Name + string(rune(**l.Value)))
		}
	}
	return b.String()
}

// asked asks the engine what it was not asked yet, and returns the probes that it
// has answered.
func (s *search) asked(cases []harness.Case) (list []*probe, err error) {
	for _, c := range cases {
		i, ok := s.places[key(c)]
		if !ok {
			out, err := s.ask(c)
			if err != nil {
				return nil, err
			}
			if out != nil && out.Verdict == harness.Unsupported {
				out = nil
			}
			i = len(s.probes)
			s.places[key(c)] = i
			s.probes = append(s.probes, probe{c, out})
		}
		if s.probes[i].got != nil {
			list = append(list, &s.probes[i])
		}
	}
	return list, nil
}

// explains reports whether the rules answer a probe under a profile as the engine
// did.
func (s *search) explains(p harness.Profile, of *probe) bool {
	want := s.answer(of.c, p)
	rules := &s.dialect.Judging
	return s.same(want, of.got) || rules.Align != nil && s.same(want, rules.Aligned(s.declared, of.c, of.got, want))
}

func (s *search) explained(p harness.Profile, list []*probe) int {
	return collect.Count(list, func(of *probe) bool { return s.explains(p, of) })
}
