package generate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/operations/generate"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/gentest"
	"replanbench/harness/testdata/golden"
)

func updates(t testing.TB, opts generators.Options) *generators.Source {
	t.Helper()
	return gentest.Source(t, generate.New, opts)
}

// Both doors lead to samples of updates whose parts agree.
func TestUpdatesAgree(t *testing.T) { gentest.BothDoors(t, generate.New, 1500, agreeUpdate) }

// agreeUpdate checks a sample with the reference's plan, by the rules that hold for every
// update.
func agreeUpdate(s generators.Sample) error {
	p, err := all.Plan(s.Case)
	switch {
	case s.Before != nil && (err != nil || !p.Equal(s.Before)):
		return fmt.Errorf("%v: the plan of the case is not Before: %w\n%s", s.Traits, err, s.Case.Plan)
	case s.Want.Loose:
		return nil
	case s.Want.Verdict == harness.Rejected:
		if len(s.Want.Codes) == 0 || s.Valid {
			return fmt.Errorf("a rejection with the codes %v, valid %t", s.Want.Codes, s.Valid)
		}
		return nil
	}
	after := rules.Eval(s.Case, s.Profile).Plan
	if err := after.Check(); err != nil {
		return fmt.Errorf("the plan that must come out: %w", err)
	}
	old, new := s.Before.Record, after.Record
	if n := new.Version - old.Version; n < 1 || n > len(s.Case.Replies) || len(new.History)-len(old.History) != n {
		return fmt.Errorf("version %d after %d, history %d after %d", new.Version, old.Version, len(new.History),
			len(old.History))
	}
	if last, err := plan.DecodeRecord(new.History[len(old.History)]); err != nil ||
		!slices.EqualFunc(last.Steps, s.Before.Steps, plan.Step.Equal) {
		return fmt.Errorf("the history does not hold the plan as it was: %w", err)
	}
	if limit := s.Case.Limits.MaxPlanSteps; limit != nil && len(after.Steps) > max(*limit, len(s.Before.Steps)) {
		return fmt.Errorf("%d steps, more than the limit %d", len(after.Steps), *limit)
	}
	return agreeCompleted(s.Before, after, spec.ReorderDone().Get(s.Profile) == "allow")
}

// Samples with fewer of their traits are the same samples without the others, and
// their labels are what the rules say.
func TestSubsetsAgree(t *testing.T) {
	gentest.Subsets(t, generate.New, 1000, func(s generators.Sample) error {
		if err := agreeUpdate(s); err != nil {
			return err
		}
		return agreeRules(s)
	})
}

// TestNothingInText: no member is added to the text that another trait puts in place of an object.
func TestNothingInText(t *testing.T) {
	s := updates(t, generators.Options{Traits: []string{"metadata-kind", "python-literals"}})
	for i := range uint64(1000) {
		if err := agreeRules(s.At(1, i)); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
	}
}

// agreeRules checks the label against the rules.
func agreeRules(s generators.Sample) error {
	out := rules.Eval(s.Case, s.Profile)
	w := s.Want
	switch {
	case w.Loose:
		return nil
	case out.Verdict != w.Verdict, w.Verdict == harness.Rejected && !slices.Contains(w.Codes, out.Code):
		return fmt.Errorf("%v: the label says %s %v, the rules %s %s (%s)\n%s\n%q", s.Traits, w.Verdict, w.Codes, out.Verdict,
			out.Code, out.Message, s.Case.Plan, s.Case.Replies)
	case w.At != nil && out.At != nil && *w.At != *out.At:
		return fmt.Errorf("%v: the label says at %s, the rules at %s", s.Traits, *w.At, *out.At)
	}
	return nil
}

// agreeCompleted checks that completed steps are as they were, in their order
// unless they may move, and that no other is completed.
func agreeCompleted(before, after *plan.Plan, move bool) error {
	completed := func(p *plan.Plan) (list []plan.Step) {
		for _, step := range p.Steps {
			if step.Status == plan.Completed {
				list = append(list, step)
			}
		}
		if move {
			slices.SortFunc(list, func(a, b plan.Step) int { return strings.Compare(a.ID, b.ID) })
		}
		return list
	}
	if old, new := completed(before), completed(after); !slices.EqualFunc(old, new, plan.Step.Equal) {
		return fmt.Errorf("the completed steps were %v and are %v", old, new)
	}
	return nil
}

// The table says what every fault of updates is and what it leads to under each
// named profile and under abort.
func TestUpdateFaultTable(t *testing.T) {
	var b strings.Builder
	faults := generate.Traits()
	if len(faults) < 25 {
		t.Errorf("%d faults of operations", len(faults))
	}
	for _, f := range faults {
		fmt.Fprintf(&b, "%s (%s): %s\n", f.Name, f.Family, f.Text)
		for _, name := range []string{"reference", "strict", "lenient"} {
			fmt.Fprintf(&b, "  %-10s %s\n", name, strings.Join(updateOutcomes(t, f.Name, name), ", "))
		}
	}
	golden.Check(t, "testdata/operations.golden", []byte(b.String()))
}

// updateOutcomes plants one trait twenty times and returns the outcomes of the
// cases, and of the operations that did not apply.
func updateOutcomes(t *testing.T, fault, profile string) []string {
	t.Helper()
	p, _ := harness.Named(profile)
	s := updates(t, generators.Options{Traits: []string{fault}, Profile: &p})
	seen := map[string]bool{}
	planted := 0
	for i := uint64(0); planted < 20 && i < 500; i++ {
		sample := s.At(7, i)
		if sample.Traits == nil {
			continue
		}
		planted++
		seen[strings.TrimSpace(string(sample.Want.Verdict)+" "+gentest.Joined(sample.Want.Codes))] = true
		for _, o := range rules.Eval(sample.Case, sample.Profile).Operations {
			if o.Result != spec.Applied {
				seen[o.Result] = true
			}
		}
	}
	if planted == 0 {
		t.Errorf("%s is never planted under %s", fault, profile)
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestUpdateOptions(t *testing.T) {
	none := updates(t, generators.Options{Traits: []string{}, MaxSteps: 3})
	for i := range uint64(500) {
		s := none.At(1, i)
		if !s.Valid || s.Traits != nil || len(s.Before.Steps) > 3 || s.Want.Verdict != harness.Applied {
			t.Fatalf("case %d: faults %v, %d steps, %s", i, s.Traits, len(s.Before.Steps), s.Want.Verdict)
		}
	}
	if _, err := generate.New(generators.Options{Traits: []string{"conflict-remove-add"}}); err == nil {
		t.Error("a fault of another dialect was taken")
	}
}

// TestWithout: who is without a capability is asked nothing that needs it, and
// labels stay right. Samples of the other capabilities are drawn again by the source of the dialect.
func TestWithout(t *testing.T) {
	drawnAgain := []string{
		"metadata", "unknown members of operations", "positions", "given ids", "generated ids", "dependencies", "version",
		"history",
	}
	for _, c := range spec.Vocabulary().Capabilities {
		if slices.Contains(drawnAgain, c.Name) {
			continue
		}
		s := updates(t, generators.Options{Without: []string{c.Name}})
		for i := range uint64(50 + 2*len(s.Traits())) {
			sample := s.At(1, i)
			if slices.Contains(rules.Needs(sample.Case), c.Name) {
				t.Fatalf("case %d with %v needs %s:\n%s\n%s", i, sample.Traits, c.Name, sample.Case.Plan, sample.Case.Replies)
			}
			if err := agreeRules(sample); err != nil {
				t.Fatalf("without %s, case %d: %v", c.Name, i, err)
			}
		}
	}
}

func BenchmarkUpdates(b *testing.B) {
	s := updates(b, generators.Options{})
	b.ReportAllocs()
	var i uint64
	for b.Loop() {
		s.At(1, i)
		i++
	}
}
