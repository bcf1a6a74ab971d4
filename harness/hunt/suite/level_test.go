package suite_test

import (
	"slices"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// An engine with one defect fails from the level on that the defect belongs to, and a run at a
// narrower level says what it passed over.
func TestLevelsInBulk(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(s scenarios.Scenario) bool { return s.Case.Dialect != "planpatch" })
	for defect, want := range map[string]harness.Level{
		"accepts-cycle":        harness.JudgeSafety,
		"ignores-extra-fields": harness.JudgeRules,
		"wrong-code":           harness.JudgeExact,
	} {
		for _, term := range harness.Levels() {
			level := harness.Level(term.Name)
			results, err := suite.Run(t.Context(), all.Mutant(defect), list, suite.Options{Level: level})
			if err != nil {
				t.Fatal(err)
			}
			fails, wider := 0, map[harness.Level]int{}
			for _, r := range results {
				if r.Status == harness.Fail {
					fails++
				}
				if r.Wider != "" {
					wider[r.Wider]++
				}
			}
			if failing := level.Includes(want); failing != (fails > 0) || !failing && wider[want] == 0 {
				t.Errorf("%s at %s: %d failures, beyond %v", defect, level, fails, wider)
			}
		}
	}
}
