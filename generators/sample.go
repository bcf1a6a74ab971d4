package generators

import (
	"pgregory.net/rapid"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Version changes whenever a seed and an index lead to another sample, or to
// another answer, than before. Findings carry it.
const Version = 1

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
	// Faults are the names of the planted faults.
	Faults []string
	// Valid says that nothing is wrong with the edit: no fault was planted,
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
	// Faults names the faults that may be planted: nil is all of them, an
	// empty list none.
	Faults []string
	// Profile, if given, are the rules for all cases, which then carry none
	// of their own: what an engine declares. Otherwise every case draws its
	// rules, a named set or the default with one knob changed.
	Profile *harness.Profile
	// MaxSteps bounds the size of what is edited, in the steps of a plan (or
	// messages of a history, calls of a session), but for what a fault needs;
	// 0 is the dialect's own bound, such as [MaxPlanSteps].
	MaxSteps int
}

// Maker makes samples from choices. It is safe for concurrent use.
type Maker func(c Choices) Sample

// Source makes the samples of a dialect. It is safe for concurrent use.
type Source struct{ maker Maker }

// NewSource returns a source of the samples that the maker makes.
func NewSource(m Maker) *Source { return &Source{m} }

// At returns one sample. It depends on the options and the two numbers alone,
// so that a campaign can be cut into shards, resumed, and replayed case by
// case.
//
// The decisions come from a counter-based sequence (PCG, seeded with both
// numbers) and not from rapid's Example: the same code makes the sample, but
// a decision costs 2 ns and not 100, and creating the state nothing and not
// half a microsecond. See [Samples] for the door that shrinks.
func (s *Source) At(seed, index uint64) Sample {
	return s.maker(Seeded(seed, index))
}

// Samples generates samples for rapid.Check, which shrinks them. New is how a
// dialect makes its maker; wrong options fail the test that draws.
func Samples(new func(Options) (Maker, error), opts Options) *rapid.Generator[Sample] {
	m, err := new(opts)
	return rapid.Custom(func(t *rapid.T) Sample {
		if err != nil {
			t.Fatalf("generators: %v", err)
		}
		return m(Drawn(t))
	})
}
