package calibrate_test

import (
	"slices"
	"testing"

	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/calibrate"
	"replanbench/harness/hunt/judge"
)

// TestKillsOfUpdatesInBulk shows which check notices what is wrong with updates by
// operations, and that the cases that are left are small.
func TestKillsOfUpdatesInBulk(t *testing.T) {
	want := map[string][]string{
		"takes-unknown-for-met":    {check.DepsExist},
		"shadows-completed":        {check.IDsUnique},
		"reuses-old-ids":           {"ids-once", judge.Reference}, // which comes first is chance
		"version-per-operation":    {"version-once"},
		"rewrites-history":         {"history-kept"},
		"never-clears":             {"results-selective"},
		"clears-moved":             {"results-selective"},
		"chokes-on-null-operation": {judge.Total},
		"reorders-to-end":          {judge.Reference},
	}
	var names []string
	for name := range want {
		names = append(names, name)
	}
	slices.Sort(names)
	res, err := calibrate.Run(t.Context(), calibrate.Options{
		Dialect: "operations", Defects: choose(t, names...),
		Seeds: 1, Cases: 2000,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range res.Defects {
		checks := row.Checks
		if len(checks) != 1 || !slices.Contains(want[row.Name], checks[0]) {
			t.Errorf("%s is noticed by %v, want %v", row.Name, checks, want[row.Name])
		}
		if row.Steps > calibrate.SmallSteps || row.Operations > calibrate.SmallOperations {
			t.Errorf("%s: %d steps and %d operations are left", row.Name, row.Steps, row.Operations)
		}
	}
	if res.Reference[0].Found() {
		t.Errorf("the reference breaks %s: %s", res.Reference[0].Check, res.Reference[0].Message)
	}
}
