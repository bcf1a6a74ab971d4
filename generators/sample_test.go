package generators_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/generators/rapidgen"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	planpatch "replanbench/harness/dialect/planpatch/generate"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/gentest"
	"replanbench/harness/testdata/golden"
)

// Both doors lead to samples whose parts agree.
func TestSamplesAgreeInBulk(t *testing.T) { gentest.BothDoors(t, planpatch.New, 10_000, agree) }

// agree checks a sample by itself, by the rules that hold for every edit.
func agree(s generators.Sample) error {
	p, err := plan.Decode(s.Case.Plan)
	if (err == nil) != (s.Before != nil) {
		return fmt.Errorf("the plan decodes: %w, but Before is %v", err, s.Before)
	}
	if p != nil && !p.Equal(s.Before) {
		return fmt.Errorf("the plan of the case is not Before:\n%s", plan.Diff(p, s.Before))
	}
	if s.Case.Profile == nil || !s.Case.Profile.Equal(s.Profile) {
		return fmt.Errorf("the profile of the case is not that of the sample")
	}
	w := s.Want
	switch {
	case w.Loose:
		if d := cmp.Diff(generators.Want{Loose: true}, w); d != "" {
			return fmt.Errorf("loose, but: %s", d)
		}
	case w.Verdict == harness.Applied:
		err = agreeApplied(s)
	case w.Verdict != harness.Rejected || len(w.Codes) == 0:
		return fmt.Errorf("a rejection without a code: %+v", w)
	}
	if err != nil && s.Before != nil {
		return fmt.Errorf("%v: %w\nbefore: %s\nreplies: %q", s.Traits, err, s.Case.Plan, s.Case.Replies)
	}
	if valid := len(s.Traits) == 0; valid != s.Valid {
		return fmt.Errorf("the faults are %v and Valid is %v (%s)", s.Traits, s.Valid, gentest.Outcome(w))
	}
	return nil
}

func agreeApplied(s generators.Sample) error {
	if len(s.Want.Codes) > 0 {
		return fmt.Errorf("applied with the codes %v", s.Want.Codes)
	}
	before, after := s.Before, rules.Eval(s.Case, s.Profile).Plan
	if after == nil {
		if s.Want.Rung != harness.RungReact {
			return fmt.Errorf("applied without a plan")
		}
		return nil
	}
	if err := after.Check(); err != nil {
		return fmt.Errorf("the plan that must come out: %w", err)
	}
	if plan.Diff(before, after).Empty() {
		return fmt.Errorf("nothing changes")
	}
	if limit := s.Case.Limits.MaxPlanSteps; limit != nil && len(after.Steps) > max(*limit, len(before.Steps)) {
		return fmt.Errorf("%d steps, more than the limit %d", len(after.Steps), *limit)
	}
	return agreeStatuses(s, before, after)
}

// agreeStatuses checks that finished steps stay and that no other step is finished.
func agreeStatuses(s generators.Sample, before, after *plan.Plan) error {
	done := func(p *plan.Plan) (list []plan.Step) {
		for _, step := range p.Steps {
			if step.Status == plan.Done {
				list = append(list, step)
			}
		}
		return list
	}
	old, new := done(before), done(after)
	if s.Profile.CarryOver == harness.ByID { // may lose some
		old = slices.DeleteFunc(old, func(step plan.Step) bool { return after.Step(step.ID) == nil })
	}
	if !slices.EqualFunc(old, new, plan.Step.Equal) {
		return fmt.Errorf("the done steps were %v and are %v", old, new)
	}
	for _, step := range after.Steps {
		if before.Step(step.ID) == nil && step.Status != plan.Pending {
			return fmt.Errorf("the new step %q is %s", step.ID, step.Status)
		}
	}
	return nil
}

// A case travels as JSON and comes back as it was.
func TestCaseAsJSONInBulk(t *testing.T) {
	s := gentest.Source(t, planpatch.New, generators.Options{})
	for i := range uint64(3000) {
		want := s.At(5, i).Case
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		var got harness.Case
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		if len(want.Replies) == 0 {
			got.Replies = want.Replies
		}
		_ = want.Plan.Compact() // white space in a raw value does not travel
		if !slices.Equal(got.Replies, want.Replies) || string(got.Plan) != string(want.Plan) ||
			!got.Profile.Equal(*want.Profile) || !cmp.Equal(got.Limits, want.Limits) {
			t.Fatalf("case %d came back as %s", i, text)
		}
	}
}

// fingerprint hashes everything that a sample says.
func fingerprint(t testing.TB, s generators.Sample) string {
	t.Helper()
	text, err := json.Marshal(struct {
		Case   harness.Case
		Want   generators.Want
		Faults []string
		Valid  bool
	}{s.Case, s.Want, s.Traits, s.Valid}, json.Deterministic(true), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// eachDialect runs a test for every dialect that samples can be made for.
func eachDialect(t *testing.T, test func(t *testing.T, dialect string)) {
	for _, dialect := range all.Names() {
		t.Run(dialect, func(t *testing.T) { test(t, dialect) })
	}
}

// The samples depend on seed and index alone: not on the order in which they
// are made, on others made at the same time, or on the source.
func TestDeterministicInBulk(t *testing.T) {
	const n = 300
	eachDialect(t, func(t *testing.T, dialect string) {
		first := sourceOf(t, dialect, generators.Options{})
		want := make([]string, n)
		for i := range want {
			want[i] = fingerprint(t, first.At(11, uint64(i)))
		}
		second := sourceOf(t, dialect, generators.Options{})
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := n - 1 - w; i >= 0; i -= 8 {
					for _, s := range []*generators.Source{first, second} {
						if got := fingerprint(t, s.At(11, uint64(i))); got != want[i] {
							t.Errorf("case %d differs", i)
						}
					}
				}
			})
		}
		wg.Wait()
		if slices.Sort(want); len(slices.Compact(want)) < n*97/100 {
			t.Error("many of the samples are the same")
		}
	})
}

// In campaigns of two seeds the same samples are the plain ones and half of those with one
// trait; of samples that are for no campaign none is the same.
func TestSharedByCampaignsInBulk(t *testing.T) {
	eachDialect(t, func(t *testing.T, dialect string) {
		s, err := all.Find(dialect).Source(generators.Options{})
		if err != nil {
			t.Fatal(err)
		}
		traits := uint64(len(s.Traits()))
		round := func(n uint64) uint64 { return generators.PlainCases + n*traits }
		c := s.Campaign()
		for _, test := range []struct {
			source   *generators.Source
			from, to uint64
			shared   bool
		}{
			{c, 0, generators.PlainCases, true},
			{c, round(0), round(1), false},
			{c, round(1), round(2), true},
			{c, round(10), round(11), false},
			{c, round(11), round(12), true},
			{c, round(12), round(12) + 200, false},
			{s, 0, round(2), false},
		} {
			n := uint64(0)
			for i := test.from; i < test.to; i++ {
				if fingerprint(t, test.source.At(1, i)) == fingerprint(t, test.source.At(2, i)) {
					n++
				}
				if test.source.Shared(i) != test.shared {
					t.Fatalf("case %d is shared: %t", i, !test.shared)
				}
			}
			if of := test.to - test.from; test.shared && n < of || !test.shared && 20*n > of {
				t.Errorf("of %d to %d %d are the same with two seeds", test.from, test.to, n)
			}
		}
	})
}

// What was made is the caller's: the next sample shares no memory with it.
func TestNothingSharedInBulk(t *testing.T) {
	eachDialect(t, func(t *testing.T, dialect string) {
		s := sourceOf(t, dialect, generators.Options{})
		for i := range uint64(300) {
			want := fingerprint(t, s.At(13, i))
			scribble(s.At(13, i))
			if got := fingerprint(t, s.At(13, i)); got != want {
				t.Fatalf("case %d differs after a change of the one before", i)
			}
		}
	})
}

func scribble(s generators.Sample) {
	for _, p := range []*plan.Plan{s.Before} {
		if p == nil {
			continue
		}
		for i := range p.Steps {
			step := &p.Steps[i]
			for _, list := range [][]string{step.Dependencies, step.ToolsExpected} {
				for j := range list {
					list[j] = "scribble"
				}
			}
			for j := range step.Extra {
				step.Extra[j] = ' '
			}
			*step = plan.Step{}
		}
	}
	for i := range s.Profile.Ladder {
		s.Profile.Ladder[i] = "scribble"
	}
	for _, value := range s.Case.Documents() {
		clear(value)
	}
	clear(s.Want.Codes)
	clear(s.Traits)
}

// The samples of a version of the generators never change: findings name a
// seed and an index.
func TestVersionInBulk(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "version %d\n", generators.Version)
	for _, dialect := range all.Names() {
		s := sourceOf(t, dialect, generators.Options{})
		h := sha256.New()
		for i := range uint64(1000) {
			fmt.Fprintln(h, fingerprint(t, s.At(1, i)))
		}
		fmt.Fprintf(&b, "%s %x\n", dialect, h.Sum(nil))
	}
	golden.Check(t, "testdata/version.golden", []byte(b.String()))
}

func BenchmarkAt(b *testing.B) {
	s := gentest.Source(b, planpatch.New, generators.Options{})
	b.ReportAllocs()
	var i uint64
	for b.Loop() {
		s.At(1, i)
		i++
	}
}

// BenchmarkExample is the same generator through rapid.
func BenchmarkExample(b *testing.B) {
	gen := rapidgen.Samples(all.Find("planpatch").Generate, generators.Options{})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		gen.Example(i)
		i++
	}
}

func sourceOf(t testing.TB, dialect string, opts generators.Options) *generators.Source {
	t.Helper()
	s, err := all.Source(dialect, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
