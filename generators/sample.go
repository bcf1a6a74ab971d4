package generators

import (
	"fmt"
	"strings"
	"sync"

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
	// Faults are the names of the planted faults; see [Faults].
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
	// MaxSteps bounds the size of what is edited, in steps (of the dialect
	// trim: messages; of planmode: calls), but for what a fault needs; 0 is
	// the dialect's own bound, such as [MaxPlanSteps].
	MaxSteps int
}

// Source makes the samples of a dialect. It is safe for concurrent use.
type Source struct{ maker }

// New returns a source. The error names an unknown dialect, or an unknown
// fault together with the nearest one that exists.
func New(dialect string, opts Options) (*Source, error) {
	for _, d := range dialects() {
		if d.name == dialect {
			m, err := d.maker(opts)
			if err != nil {
				return nil, err
			}
			return &Source{m}, nil
		}
	}
	return nil, fmt.Errorf("there is no generator for the dialect %q (there are some for %s)", dialect, strings.Join(Dialects(), ", "))
}

// At returns one sample. It depends on the options and the two numbers alone,
// so that a campaign can be cut into shards, resumed, and replayed case by
// case.
//
// The decisions come from a counter-based sequence (PCG, seeded with both
// numbers) and not from rapid's Example: the same code makes the sample, but
// a decision costs 2 ns and not 100, and creating the state nothing and not
// half a microsecond. See [Samples] for the door that shrinks.
func (s *Source) At(seed, index uint64) Sample {
	return s.make(seeded(seed, index))
}

// At returns one sample of a dialect; see [Source.At]. For many samples, make
// a [Source] once.
func At(dialect string, opts Options, seed, index uint64) (Sample, error) {
	s, err := New(dialect, opts)
	if err != nil {
		return Sample{}, err
	}
	return s.At(seed, index), nil
}

// Samples generates samples of a dialect for rapid.Check, which shrinks them.
// Wrong options fail the test that draws.
func Samples(dialect string, opts Options) *rapid.Generator[Sample] {
	s, err := New(dialect, opts)
	return rapid.Custom(func(t *rapid.T) Sample {
		if err != nil {
			t.Fatalf("generators: %v", err)
		}
		return s.make(drawn(t))
	})
}

// patchMaker makes samples of the dialect planpatch.
type patchMaker struct {
	opts   Options
	menu   menu[patchFault, *patchFault]
	drafts sync.Pool
}

func newPatchMaker(opts Options) (maker, error) {
	if opts.MaxSteps <= 0 || opts.MaxSteps > MaxPlanSteps {
		opts.MaxSteps = MaxPlanSteps
	}
	m, err := newMenu[patchFault, *patchFault](patchFaults, opts.Faults)
	if err != nil {
		return nil, err
	}
	return &patchMaker{opts: opts, menu: m, drafts: sync.Pool{New: func() any { return new(draft) }}}, nil
}

func (m *patchMaker) make(c choices) Sample {
	d := m.drafts.Get().(*draft)
	defer m.drafts.Put(d)
	d.reset(c, m.opts.MaxSteps)
	return d.sample(m.opts.Profile, &m.menu)
}
