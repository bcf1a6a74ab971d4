package campaign_test

import (
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/judge"
)

// A campaign at a level has the causes of that level and counts those of the next.
func TestLevels(t *testing.T) {
	for _, tc := range []struct {
		defect        string
		level         harness.Level
		causes, wider int
		failing       bool
	}{
		{"accepts-cycle", harness.JudgeSafety, 1, 0, true},
		{"ignores-extra-fields", harness.JudgeSafety, 0, 1, false},
		{"ignores-extra-fields", harness.JudgeRules, 1, 1, true},
		{"wrong-code", harness.JudgeRules, 0, 1, false},
		{"wrong-code", harness.JudgeExact, 1, 0, true},
	} {
		c := campaign.Config{
			Dialect: "planpatch", Seed: 1, Cases: 100, Engine: all.Mutant(tc.defect), Bare: true,
			Judging: judge.Options{Reference: reference.New(), Level: tc.level},
		}
		c.Generator.Traits = []string{"cycle-two-update", "unknown-member", "id-case-update"}
		run, err := campaign.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		r := run.Result
		if len(r.Causes) != tc.causes || r.Wider != tc.wider || r.Failing > 0 != tc.failing || r.Judge != tc.level {
			t.Errorf("%s at %s: %d causes, %d more, %d failing cases, judged at %s", tc.defect, tc.level, len(r.Causes),
				r.Wider, r.Failing, r.Judge)
		}
	}
}
