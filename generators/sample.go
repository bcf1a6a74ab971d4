package generators

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Version changes whenever a seed and an index lead to another sample, or to
// another answer, than before. Findings carry it.
const Version = 7

// Sample is a case together with what must come out of it.
//
// The answer is known because plan, edit and result are made together: the
// generator first decides what is to happen, and only then writes it down as a
// plan and a reply. No engine is asked.
type Sample struct {
	Case harness.Case
	Want Want
	// Profile holds the rules that Want was made for. Case.Profile is nil if
	// the options gave the profile, and points to these rules otherwise.
	Profile harness.Profile
	// Before is the decoded plan of the case; nil if that plan is unsound.
	Before *plan.Plan
	// Traits are the names of the planted traits, in the order of the table.
	Traits []string
	// Valid says that nothing is unusual about the case: no trait was planted,
	// and every engine must accept it with exactly Want.Plan.
	Valid bool
}

// Want is what the rules say of a case.
type Want struct {
	Verdict harness.Verdict
	// Codes are the acceptable codes of a rejection: one wherever the rules
	// determine it.
	Codes []harness.Code
	// Plan is the exact plan after the edit; nil where there is none (on a
	// rejection, on the rung react), and where the rules leave it open.
	Plan *plan.Plan
	// Tier and Rung are "" where they are not known.
	Tier harness.Tier
	Rung harness.Rung
	// More holds members of the outcome that only some dialects have, such as
	// the results that are left; a zero member is not known. nil is none.
	More *harness.Outcome `json:",omitzero"`
	// Loose says that the outcome is not known: only the invariants hold.
	// Then the other fields are zero.
	Loose bool
}

// Options narrow what is generated. The zero value is the default mix.
type Options struct {
	// Traits names those that may be planted: nil is all of them, an
	// empty list none.
	Traits []string
	// Without names capabilities that the engine does not have: no trait needs
	// one of them, and bases do without.
	Without []string
	// Profile, if given, are the rules for all cases, which then carry none
	// of their own: what an engine declares. Otherwise every case draws its
	// rules, a named set or the default with one knob changed, but for plain
	// cases, which have those that are Declared, or else the reference's.
	Profile  *harness.Profile
	Declared *harness.Profile
	// MaxSteps bounds the size of what is edited, in the steps of a plan (or
	// messages of a history, calls of a session), but for what a fault needs;
	// 0 is the dialect's own bound, such as [MaxPlanSteps].
	MaxSteps int
}

// Order is a sample that is asked for.
type Order struct {
	Plain bool // of the plain part of a campaign
	// Keep names those of the sample's traits that are planted; nil is all. The
	// others keep their places.
	Keep []string
	// Steps is the size of the base, to be small; 0 is the base's own choice.
	Steps int

	choices Choices
	traits  []int // in play, of the sample
}

// Choices are those of the part of a sample that has that name; see [Draw].
func (o Order) Choices(name string) Choices { return o.choices.stream(name) }

// Traits are the places of the sample's traits in the maker's table.
func (o Order) Traits() []int { return o.traits }

// Maker makes the samples of a dialect. It is safe for concurrent use.
type Maker struct {
	Traits   []Trait // in play, in the order of the table
	make     func(Order) Sample
	schedule *schedule
}

// NewMaker returns a maker of samples with these traits. clash reports whether
// two of them cannot stand together; whole, that they are all of the dialect's.
func NewMaker(traits []Trait, clash func(i, j int) bool, whole bool, make func(Order) Sample) *Maker {
	m := &Maker{Traits: traits, make: make}
	m.schedule = newSchedule(newMenu(traits, clash, whole), func(i int) bool {
		return make(Order{choices: Seeded(0, uint64(i)), traits: []int{i}}).Want.Verdict == harness.Rejected
	})
	return m
}

// Source makes the samples of a dialect. It is safe for concurrent use.
type Source struct {
	maker    *Maker
	campaign bool
}

// NewSource returns a source of the samples that the maker makes.
func NewSource(m *Maker) *Source { return &Source{maker: m} }

// Campaign returns the source of campaigns: the plain samples, and half of those with one
// trait alone, are the same whatever the seed. By what these show campaigns call what is
// wrong with an engine, so that two of them call it by one name.
func (s *Source) Campaign() *Source { return &Source{s.maker, true} }

// Traits are those in play.
func (s *Source) Traits() []Trait { return s.maker.Traits }

// Mix is the index at which the random mix begins: before it come the plain
// cases, each trait alone, and every pair of traits that can stand together.
func (s *Source) Mix() uint64 { return s.maker.schedule.mix() }

// Phase tells which part of a campaign an index belongs to.
func (s *Source) Phase(index uint64) Phase {
	p, _ := s.maker.schedule.phase(index)
	return p
}

// Shared reports whether the sample of an index is the same for all seeds.
func (s *Source) Shared(index uint64) bool { return s.campaign && s.maker.schedule.shared(index) }

// At returns one sample. It depends on the options and the two numbers alone,
// so that a campaign can be cut into shards, resumed, and replayed case by
// case.
//
// The decisions come from a counter-based sequence (PCG, seeded with both
// numbers) and not from rapid's Example: the same code makes the sample, but
// a decision costs 2 ns and not 100, and creating the state nothing and not
// half a microsecond. See package tape for the door that shrinks.
func (s *Source) At(seed, index uint64) Sample { return s.maker.make(s.order(seed, index)) }

// Holds names the traits that the sample of an index is to have, without making
// it. A trait that finds no place in the sample is named all the same.
func (s *Source) Holds(seed, index uint64) (names []string) {
	for _, i := range s.order(seed, index).traits {
		names = append(names, s.maker.Traits[i].Name)
	}
	return names
}

// Keeping returns the sample of an index with only those of its traits: the same
// sample without the others.
func (s *Source) Keeping(seed, index uint64, traits []string) Sample {
	o := s.order(seed, index)
	o.Keep = append([]string{}, traits...)
	return s.maker.make(o)
}

// Anew returns a sample with exactly these traits, in a base of so many steps.
func (s *Source) Anew(seed, index uint64, traits []string, steps int) Sample {
	o := Order{choices: Seeded(seed, index), Steps: steps, Plain: len(traits) == 0}
	for i, t := range s.maker.Traits {
		if slices.Contains(traits, t.Name) {
			o.traits = append(o.traits, i)
		}
	}
	return s.maker.make(o)
}

// order is the sample of an index as it is.
func (s *Source) order(seed, index uint64) Order {
	if s.Shared(index) {
		seed = 0
	}
	o := Order{choices: Seeded(seed, index), Plain: index < PlainCases}
	c := o.choices.stream("traits")
	o.traits = s.maker.schedule.traits(index, &c)
	return o
}

// Mixed makes a sample of the mix of these choices.
func (m *Maker) Mixed(c Choices) Sample {
	o := Order{choices: c}
	o.traits = m.schedule.menu.mix(&o.choices)
	slices.Sort(o.traits)
	return m.make(o)
}
