package generators

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// Version changes whenever a seed and an index give another sample or another
// expected outcome. Findings record it.
const Version = 16

// Sample is a case with its expected outcome.
//
// The outcome is known because plan, edit and result are made together: the
// generator first decides the changes and then writes them as a
// plan and a reply. No engine is involved.
type Sample struct {
	Case harness.Case
	Want Want
	// Profile is the profile of Want. Case.Profile is nil if
	// the options give the profile; else it points to this one.
	Profile harness.Profile
	// Before is the decoded plan of the case; nil if that plan is invalid.
	Before *plan.Plan
	// Decoded is what the checks of the dialect decode besides the plan, in the type that they use;
	// nil if they have to decode it.
	Decoded any
	// Needs are the features and capabilities that the case needs; nil if the source has not looked.
	Needs []string
	// Traits are the names of the planted traits, in the order of the table.
	Traits []string
	// Valid reports that the case is ordinary: no trait was planted,
	// and every engine must accept it.
	Valid bool
}

// Want is the expected outcome of a case: verdict, code and place. The reference and the checks
// judge the plan.
type Want struct {
	Verdict harness.Verdict
	// Codes are the acceptable codes of a rejection: one if the rules
	// determine it.
	Codes []harness.Code
	// At is the place of a rejection; nil if unknown.
	At *string
	// Rung is "" if unknown.
	Rung harness.Rung
	// More has members of the outcome that only some dialects have, such as
	// the remaining results; a zero member is unknown.
	More *harness.Outcome `json:",omitzero"`
	// Loose reports that the outcome is unknown: only the invariants apply.
	// Then the other fields are zero.
	Loose bool
}

// Refused returns a rejection with any of the codes.
func Refused(codes ...harness.Code) Want { return Want{Verdict: harness.Rejected, Codes: codes} }

// Options restrict the samples. The zero value is the default mix.
type Options struct {
	// Traits names the traits that may be planted: nil means all, an
	// empty list none.
	Traits []string
	// Without names capabilities that the engine lacks: no trait and no base needs
	// one of them.
	Without []string
	// Skip names traits that are not planted, although Traits allows them. If it is nil, the source of a
	// dialect skips those that need what the engine lacks.
	Skip []string
	// Features lists the features of the engine. Traits that need the feature store are planted
	// only if it is listed.
	Features []string
	// Profile, if given, is the profile of all cases, which then have none
	// themselves: the declaration of an engine. Without it every case draws its
	// profile, a named one or the default with one knob changed. Plain
	// cases have the Declared profile, or else the reference's.
	Profile  *harness.Profile
	Declared *harness.Profile
	// MaxSteps bounds the size of the edited document in steps of a plan (or
	// messages of a history, calls of a session); a trait may need more.
	// 0 means the bound of the dialect, such as [MaxPlanSteps].
	MaxSteps int
}

// Suit sets what follows from an engine's declaration. fixed: every case has the declared profile, even if the
// engine accepts others.
func (o *Options) Suit(d harness.Declaration, fixed bool) {
	o.Without, o.Features, o.Declared = d.Lacks(), d.Features, &d.Profile
	if fixed || !d.Has(harness.FeatureProfiles) {
		o.Profile = &d.Profile
	}
}

// Order is a request for a sample.
type Order struct {
	Plain bool // in the plain phase of a campaign
	// Keep names the traits of the sample that are planted; nil means all. The
	// others keep their locations.
	Keep []string
	// Steps is the size of the base; 0 means that the base chooses it.
	Steps int

	choices Choices
	traits  []int // of the sample, as indexes of allowed traits
}

// Choices returns the choices of the named part of a sample; see [Draw].
func (o Order) Choices(name string) Choices { return o.choices.stream(name) }

// Traits returns the indexes of the sample's traits in the maker's table.
func (o Order) Traits() []int { return o.traits }

// Maker makes the samples of a dialect. It is safe for concurrent use.
type Maker struct {
	Traits   []Trait // allowed traits, in the order of the table
	make     func(Order) Sample
	schedule *schedule
}

// NewMaker returns a maker of samples with these traits. clash reports whether
// two of them are incompatible; whole reports that they are all traits of the dialect.
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
	lacks    func(*Sample) bool // the engine lacks something that the sample needs; nil: never
}

// NewSource returns a source of the maker's samples.
func NewSource(m *Maker) *Source { return &Source{maker: m} }

// Campaign returns the source for campaigns: the plain samples, and half of the samples
// with one trait, are the same for every seed. Campaigns name causes by the results of
// these samples, so two campaigns use the same name.
func (s *Source) Campaign() *Source { return &Source{s.maker, true, s.lacks} }

// Avoiding returns a source that draws a sample again, with the same traits, while lacks holds. lacks may set the needs
// of the sample.
func (s *Source) Avoiding(lacks func(*Sample) bool) *Source {
	return &Source{s.maker, s.campaign, lacks}
}

// Lacking names the traits whose samples need what the engine lacks, however they are drawn.
func (s *Source) Lacking() []string {
	names := []string{}
	for i, t := range s.maker.Traits {
		if _, _, ok := s.able(Order{choices: Seeded(0, uint64(i)), traits: []int{i}}, 0, uint64(i)); !ok {
			names = append(names, t.Name)
		}
	}
	return names
}

// maxDraws is how often a sample is drawn that the engine may lack something for.
const maxDraws = 64

// able tries orders that differ in their choices and returns the first for which the engine
// has all that the sample with all traits needs. If no order does, it returns the last one and
// false. It also returns the sample with all traits, if it had to be made.
func (s *Source) able(o Order, seed, index uint64) (_ Order, made *Sample, ok bool) {
	for i := uint64(1); s.lacks != nil; i++ {
		sample := s.maker.make(o)
		switch {
		case !s.lacks(&sample):
			return o, &sample, true
		case i == maxDraws:
			return o, &sample, false
		}
		o.choices = Seeded(seed^i<<48, index)
	}
	return o, nil, true
}

// Traits lists the allowed traits.
func (s *Source) Traits() []Trait { return s.maker.Traits }

// Mix returns the index at which the random mix begins. Before it are the plain
// cases, each trait alone, and every compatible pair of traits.
func (s *Source) Mix() uint64 { return s.maker.schedule.mix() }

// Phase returns the phase of a campaign that contains an index.
func (s *Source) Phase(index uint64) Phase {
	p, _ := s.maker.schedule.phase(index)
	return p
}

// Shared reports whether the sample of an index is the same for all seeds.
func (s *Source) Shared(index uint64) bool { return s.campaign && s.maker.schedule.shared(index) }

// At returns one sample. It depends only on the options and the two numbers,
// so a campaign can be sharded, resumed, and replayed case by
// case.
//
// The decisions come from a counter-based sequence (PCG, seeded with both
// numbers) instead of rapid's Example. The same code makes the sample, but
// a decision costs 2 ns instead of 100, and creating the state costs nothing instead
// of 0.5 µs. Package rapidgen has the generators that shrink.
func (s *Source) At(seed, index uint64) Sample {
	o, made := s.order(seed, index)
	if made != nil {
		return *made
	}
	return s.maker.make(o)
}

// Holds names the intended traits of a sample without making
// it. It includes traits that find no location in the sample.
func (s *Source) Holds(seed, index uint64) []string {
	return collect.Map(s.intended(seed, index).traits, func(i int) string { return s.maker.Traits[i].Name })
}

// Keeping returns the sample of an index with only the given traits: the same
// sample without the others.
func (s *Source) Keeping(seed, index uint64, traits []string) Sample {
	o, _ := s.order(seed, index)
	o.Keep = append([]string{}, traits...)
	return s.maker.make(o)
}

// Anew returns a sample with exactly these traits, in a base with the given steps.
func (s *Source) Anew(seed, index uint64, traits []string, steps int) Sample {
	o := Order{choices: Seeded(seed, index), Steps: steps, Plain: len(traits) == 0}
	for i, t := range s.maker.Traits {
		if slices.Contains(traits, t.Name) {
			o.traits = append(o.traits, i)
		}
	}
	return s.maker.make(o)
}

// order returns the order of the sample with all traits of the index, or with none if the engine
// lacks something for every one of them, and the sample if it had to be made.
func (s *Source) order(seed, index uint64) (o Order, made *Sample) {
	if s.Shared(index) {
		seed = 0
	}
	o, made, ok := s.able(s.intended(seed, index), seed, index)
	if !ok {
		o.traits = nil
		o, made, _ = s.able(o, seed, index)
	}
	return o, made
}

// intended returns the first order of the sample.
func (s *Source) intended(seed, index uint64) Order {
	if s.Shared(index) {
		seed = 0
	}
	o := Order{choices: Seeded(seed, index), Plain: index < PlainCases}
	c := o.choices.stream("traits")
	o.traits = s.maker.schedule.traits(index, &c)
	return o
}

// Mixed makes a sample of the random mix from the choices.
func (m *Maker) Mixed(c Choices) Sample {
	o := Order{choices: c}
	o.traits = m.schedule.menu.mix(&o.choices)
	slices.Sort(o.traits)
	return m.make(o)
}
