package generate_test

import (
	"os"
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/generate"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/gentest"
)

// mix counts what the default mix is made of.
type mix struct {
	n, valid, loose, open int
	faults, codes, values map[string]int
	outcomes, statuses    map[string]int
	sizes                 []int
	limits                [3]int // plans below, at and above their limit
	doneOnOpen            int
}

func (m *mix) add(s generators.Sample) {
	m.n++
	if s.Valid {
		m.valid++
	}
	if s.Want.Loose {
		m.loose++
	}
	if len(s.Want.Codes) > 1 {
		m.open++
	}
	for _, f := range s.Traits {
		m.faults[f]++
	}
	for _, c := range s.Want.Codes {
		m.codes[string(c)]++
	}
	for _, k := range harness.Knobs() {
		m.values[k.Name+"="+k.Get(s.Profile)]++
	}
	out := rules.Eval(s.Case, s.Profile)
	m.outcomes[string(out.Rung)]++
	m.outcomes[string(out.Tier)]++
	if s.Before != nil {
		m.plan(s.Before, s.Case.Limits.MaxPlanSteps)
	}
}

func (m *mix) plan(p *plan.Plan, limit *int) {
	m.sizes = append(m.sizes, len(p.Steps))
	if limit != nil {
		switch n := len(p.Steps); {
		case n < *limit:
			m.limits[0]++
		case n == *limit:
			m.limits[1]++
		default:
			m.limits[2]++
		}
	}
	odd := false
	for _, s := range p.Steps {
		m.statuses[string(s.Status)]++
		if s.Status != plan.Done {
			continue
		}
		for _, d := range s.Dependencies {
			odd = odd || p.Step(d).Status != plan.Done
		}
	}
	if odd {
		m.doneOnOpen++
	}
}

func TestMix(t *testing.T) {
	n := 10_000
	if os.Getenv("REPLANBENCH_TEST_LONG") != "" {
		n = 40_000
	}
	m := mix{
		faults: map[string]int{}, codes: map[string]int{}, values: map[string]int{}, outcomes: map[string]int{},
		statuses: map[string]int{},
	}
	s := gentest.Source(t, generate.New, generators.Options{})
	for i := range uint64(n) {
		m.add(s.At(1, s.Mix()+i))
	}
	if share := float64(m.valid) / float64(n); share < 0.35 || share > 0.50 {
		t.Errorf("%.3f of the samples are valid, want 0.35 to 0.50", share)
	}
	if m.loose > n/25 || m.open > n/50 {
		t.Errorf("%d samples are loose and %d have several codes, want fewer than 1 in 25 and in 50", m.loose, m.open)
	}
	for _, f := range generate.Traits() {
		if m.faults[f.Name] < n/4000 { // so that 200,000 cases have 50
			t.Errorf("the fault %s is planted %d times in %d cases", f.Name, m.faults[f.Name], n)
		}
	}
	few := func(what string, names []string, counts map[string]int) {
		for _, name := range names {
			if counts[name] < n/1000 {
				t.Errorf("%s %s: %d in %d cases", what, name, counts[name], n)
			}
		}
	}
	few("code", patchCodes(), m.codes)
	few("outcome", []string{"patch", "retry", "fullplan", "react", "strict", "extracted", "repaired", "coerced", "none"},
		m.outcomes)
	for _, k := range harness.Knobs() {
		for _, v := range k.Drawn() {
			if !k.List && m.values[k.Name+"="+v] < n/1000 {
				t.Errorf("the knob %s is %s in %d of %d cases", k.Name, v, m.values[k.Name+"="+v], n)
			}
		}
	}
	for _, status := range plan.Statuses() {
		if m.statuses[string(status)] < n/400 {
			t.Errorf("status %s: %d", status, m.statuses[string(status)])
		}
	}
	if slices.Min(m.limits[:]) < n/200 || m.doneOnOpen < n/200 {
		t.Errorf("plans below, at, above the limit %v; with a done step after an open one %d", m.limits, m.doneOnOpen)
	}
	slices.Sort(m.sizes)
	median, most := m.sizes[len(m.sizes)/2], m.sizes[len(m.sizes)-1]
	if m.sizes[0] < 1 || median < 4 || median > 6 || most < 60 { // as plan-large says
		t.Errorf("plans have %d to %d steps, half of them at most %d", m.sizes[0], most, median)
	}
}

// patchCodes are the codes that the dialect can end in.
func patchCodes() []string {
	var codes []string
	for _, c := range []harness.Code{
		harness.NoDocument, harness.WrongDocument, harness.InvalidUTF8, harness.ReplyTooLarge, harness.TooDeep,
		harness.DuplicateKey, harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID,
		harness.BadLimit, harness.InvalidPlan, harness.IDConflict, harness.DuplicateID, harness.UnknownStep,
		harness.DoneImmutable, harness.OverCapacity, harness.MissingDependency, harness.DependencyCycle,
		harness.EmptyPatch, harness.EmptyPlan, harness.ReplanFailed, harness.RepliesExhausted,
	} {
		codes = append(codes, string(c))
	}
	return codes
}

// Options narrow the mix.
func TestOptions(t *testing.T) {
	strict, _ := harness.Named(harness.ProfileStrict)
	t.Run("no faults", func(t *testing.T) {
		s := gentest.Source(t, generate.New, generators.Options{Traits: []string{}})
		for i := range uint64(2000) {
			if sample := s.At(1, i); !sample.Valid || sample.Traits != nil {
				t.Fatalf("case %d: valid %v, faults %v, %s", i, sample.Valid, sample.Traits, gentest.Outcome(sample.Want))
			}
		}
	})
	t.Run("small plans", func(t *testing.T) {
		s := gentest.Source(t, generate.New, generators.Options{Traits: []string{}, MaxSteps: 3})
		for i := range uint64(500) {
			if n := len(s.At(1, i).Before.Steps); n > 3 {
				t.Fatalf("case %d has %d steps", i, n)
			}
		}
	})
	t.Run("a profile", func(t *testing.T) {
		s := gentest.Source(t, generate.New, generators.Options{Profile: &strict})
		for i := range uint64(200) {
			if sample := s.At(1, i); sample.Case.Profile != nil || !sample.Profile.Equal(strict) {
				t.Fatalf("case %d has the profile %v, labelled under %v", i, sample.Case.Profile, sample.Profile)
			}
		}
	})
}
