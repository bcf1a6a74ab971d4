package campaign_test

import (
	"context"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/judge"
	"replanbench/scenarios"
)

// terse is an engine that gives none of the optional members, and says so.
type terse struct{ harness.Engine }

func (e terse) Hello(ctx context.Context) (harness.Hello, error) {
	hello, err := e.Engine.Hello(ctx)
	for name, d := range hello.Dialects {
		d.Gives = []string{}
		hello.Dialects[name] = d
	}
	return hello, err
}

func (e terse) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := e.Engine.Eval(ctx, c)
	out.Warnings, out.Repairs, out.Tier, out.Meta, out.Operations, out.UpdateType = nil, nil, "", nil, nil, ""
	return out, err
}

// A failing scenario is explained by the cause of its defect, also if the engine gives no optional member.
func TestExplaining(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]scenarios.Scenario{}
	for _, s := range list {
		byID[s.ID] = s
	}
	for _, tt := range []struct{ dialect, defect, trait, scenario string }{
		{"operations", "applies-empty-update", "operations-empty", "operations/document/empty_list"},
		{"operations", "modifies-completed", "modify-completed", "operations/modify/completed_step"},
		{"planpatch", "accepts-cycle", "cycle-two-update", "planpatch/graph/cycle_through_done_step"},
	} {
		for _, engine := range []harness.Engine{all.Mutant(tt.defect), terse{all.Mutant(tt.defect)}} {
			c := campaign.Config{
				Dialect: tt.dialect, Seed: 1, Cases: 100, Engine: engine, Judging: judge.Options{Reference: reference.New()},
			}
			c.Generator.Traits = []string{tt.trait}
			run, err := campaign.Start(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			s, ok := byID[tt.scenario]
			if !ok {
				t.Fatalf("there is no scenario %s", tt.scenario)
			}
			out, err := engine.Eval(t.Context(), s.Case)
			if err != nil {
				t.Fatal(err)
			}
			if len(run.Result.Causes) != 1 {
				t.Fatalf("%s: %d causes", tt.defect, len(run.Result.Causes))
			}
			if x := run.Result.Explaining(s.Case, &out, harness.Fail, ""); x == nil {
				t.Errorf("%s, %T: no cause explains %s", tt.defect, engine, tt.scenario)
			}
		}
	}
}
