package trim_test

import (
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/dialect/trim/generate"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/testdata/gentest"
)

// findings lists the checks that an engine breaks on a case.
func findings(t testing.TB, e harness.Engine, c harness.Case) []string {
	t.Helper()
	hello, err := e.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asker := judge.New(e, hello, all.Rules("trim"), judge.Options{Reference: reference.New(), Every: 1})
	j, err := asker.Judge(t.Context(), judge.Item{Case: c})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range j.Breaks {
		names = append(names, b.Check)
	}
	return names
}

// TestDefectsAreFound holds each check to account: every defective engine is
// found, by the check that is meant for it.
func TestDefectsAreFound(t *testing.T) {
	wanted := map[string]string{
		"trim-drops-system":          check.System,
		"trim-begins-on-orphan":      check.Pairs,
		"trim-splits-parallel-calls": check.Pairs,
		"trim-loses-last-user":       check.Protects,
		"trim-drops-constraints":     check.Protects,
		"trim-begins-on-assistant":   check.Alternates,
		"trim-cuts-plan":             check.Protects,
		"trim-cuts-a-rune":           check.Graphemes,
		"trim-cuts-a-grapheme":       check.Graphemes,
		"trim-not-idempotent":        check.Idempotent,
		"trim-ignores-tool-results":  check.Fits,
		"trim-marker-not-counted":    check.Fits,
		"trim-fills-empty-messages":  check.NoGrowth,
		"trim-reorders":              check.Order,
		"trim-renumbers-calls":       check.Order,
		"trim-claims-to-fit":         check.Truthful,
		"trim-indices-of-output":     check.Truthful,
		"trim-hides-cuts":            check.Truthful,
		"trim-counts-bytes":          check.Truthful,
		"trim-not-needed":            judge.Reference,
		"trim-over-budget":           check.Fits,
		"trim-goal-is-budget":        check.Fits,
		"trim-never-refuses":         check.Fits,
		"trim-gives-up-early":        check.Fits,
		"trim-acts-at-four":          judge.Reference,
		"trim-acts-at-95":            judge.Reference,
		"trim-keeps-repeats":         check.Once,
		"trim-replaces-the-first":    check.Once,
		"trim-drops-repeats":         check.Once,
		"trim-replaces-chat":         check.Once,
		"trim-compares-beginnings":   check.Once,
	}
	source := gentest.Source(t, generate.New, generators.Options{})
	for _, d := range all.Defects("trim") {
		want, ok := wanted[d.Name]
		if !ok {
			t.Errorf("%s: the test does not know which check is meant for it", d.Name)
			continue
		}
		delete(wanted, d.Name)
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			engine := all.Mutant(d.Name)
			for i := range source.Mix() {
				s := source.At(3, i)
				if got := findings(t, engine, s.Case); slices.Contains(got, want) {
					t.Logf("found by %v in case %d %v under %s", got, i, s.Traits, s.Case.Policy)
					return
				}
			}
			t.Errorf("%s never broke", want)
		})
	}
	for name := range wanted {
		t.Errorf("%s is no defect any more", name)
	}
}
