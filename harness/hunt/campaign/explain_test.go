package campaign_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"replanbench/harness"
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

// loud is the reference, which gives each plan with a new name the same one. No built-in
// defect does that.
type loud struct{ harness.Engine }

func (e loud) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := e.Engine.Eval(ctx, c)
	if out.Plan != nil && len(c.Replies) > 0 && strings.Contains(string(c.Replies[0]), `"name"`) {
		out.Plan = out.Plan.Clone()
		out.Plan.Record.Name = "loud"
	}
	return out, err
}

// A failing scenario is explained by its cause, also if the engine gives no optional member.
func TestExplainingInBulk(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s scenarios.Scenario) bool { return s.ID == "operations/documented/metadata_only" })
	for _, engine := range []harness.Engine{loud{reference.New()}, terse{loud{reference.New()}}} {
		c := campaign.Config{
			Dialect: "operations", Seed: 1, Cases: 200, Engine: engine, Judging: judge.Options{Reference: reference.New()},
		}
		c.Generator.Traits = []string{"metadata-only"}
		run, err := campaign.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		out, err := engine.Eval(t.Context(), list[i].Case)
		if err != nil {
			t.Fatal(err)
		}
		if x := run.Result.Explaining(list[i].Case, &out, harness.Fail, ""); x == nil {
			t.Errorf("%T: none of %d causes explains %s", engine, len(run.Result.Causes), list[i].ID)
		}
	}
}
