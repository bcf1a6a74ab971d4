package trim_test

import (
	"slices"
	"testing"

	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/score/tokens"
)

// A campaign over histories under policies finds failures, and says under
// which policy.
func TestCases(t *testing.T) {
	cases := simulate.Cases{
		Dialect:  "trim",
		Source:   simulate.Generated(histories.Options{Tokenizer: tokenizer(t, tokens.Chars4)}, 1, 40),
		Policies: []history.Policy{policy(t, "window(3)"), policy(t, "pinned")},
	}
	run, err := campaign.Start(t.Context(), campaign.Config{
		Dialect: "trim", Sample: cases.Sample, Source: cases.Name, Cases: 40, Engine: all.Mutant("trim-loses-last-user"),
		ShrinkBudget: -1,
		Fresh:        func() (harness.Engine, error) { return all.Mutant("trim-loses-last-user"), nil },
		Judging:      judge.Options{Every: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	list := run.Result.Findings()
	if !slices.ContainsFunc(list, func(f finding.Finding) bool { return f.Invariant == check.Protects }) {
		t.Errorf("%d findings, none of %s", len(list), check.Protects)
	}
	for _, f := range list {
		if want := cases.Policy(f.CaseIndex).String(); string(f.Case.Policy) != `["`+want+`"]` {
			t.Errorf("case %d ran under %s, want %s", f.CaseIndex, f.Case.Policy, want)
		}
	}
}
