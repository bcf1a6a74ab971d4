package budget_test

import (
	"slices"
	"testing"

	"replanbench/harness"
	"replanbench/harness/budget"
	"replanbench/harness/dialect/all"
	trim "replanbench/harness/dialect/trim/generate"
)

// findings lists the checks that an engine breaks on a case.
func findings(t testing.TB, e harness.Engine, c harness.Case) []string {
	t.Helper()
	x, err := budget.Examine(t.Context(), e, c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range x.Breaks {
		names = append(names, b.Check)
	}
	return names
}

// TestDefectsAreFound holds each check to account: every defective engine is
// found, by the check that is meant for it.
func TestDefectsAreFound(t *testing.T) {
	wanted := map[string]string{
		"trim-drops-system":          budget.CheckSystem,
		"trim-begins-on-orphan":      budget.CheckPairs,
		"trim-splits-parallel-calls": budget.CheckPairs,
		"trim-loses-last-user":       budget.CheckProtects,
		"trim-drops-constraints":     budget.CheckProtects,
		"trim-begins-on-assistant":   budget.CheckAlternates,
		"trim-cuts-plan":             budget.CheckProtects,
		"trim-cuts-a-rune":           budget.CheckGraphemes,
		"trim-cuts-a-grapheme":       budget.CheckGraphemes,
		"trim-not-idempotent":        budget.CheckIdempotent,
		"trim-ignores-tool-results":  budget.CheckFits,
		"trim-marker-not-counted":    budget.CheckFits,
		"trim-fills-empty-messages":  budget.CheckNoGrowth,
		"trim-reorders":              budget.CheckOrder,
		"trim-renumbers-calls":       budget.CheckOrder,
		"trim-claims-to-fit":         budget.CheckTruthful,
		"trim-indices-of-output":     budget.CheckTruthful,
		"trim-hides-cuts":            budget.CheckTruthful,
		"trim-counts-bytes":          budget.CheckTruthful,
		"trim-not-needed":            budget.CheckReference,
		"trim-over-budget":           budget.CheckFits,
		"trim-never-refuses":         budget.CheckFits,
		"trim-gives-up-early":        budget.CheckFits,
	}
	policies := builtins(t)
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
			for i := range uint64(2000) {
				h := trim.HistoryAt(trim.HistoryOptions{}, 3, i)
				p := policies[i%uint64(len(policies))]
				if got := findings(t, engine, h.TrimCase(budget.Chars4, p)); slices.Contains(got, want) {
					t.Logf("found by %v in history %d (%s) under %s", got, i, h.Kind, p)
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
