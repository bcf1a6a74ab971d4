package campaign_test

import (
	"context"
	"encoding/json"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// A campaign at a level has the causes of that level and counts those of the next.
func TestLevelsInBulk(t *testing.T) {
	for _, tc := range []struct {
		defect        string
		level         harness.Level
		causes, wider int
		failing       bool
	}{
		{"accepts-cycle", harness.JudgeSafety, 1, 0, true},
		{"ignores-extra-fields", harness.JudgeSafety, 0, 1, false},
		{"ignores-extra-fields", harness.JudgeRules, 1, 0, true},
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

// doubling is the reference, which adds steps without looking at their ids, and loses their descriptions.
type doubling struct{ harness.Engine }

func (e doubling) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := e.Engine.Eval(ctx, c)
	p, invalid := plan.Decode(c.Plan)
	var patch struct {
		Steps []struct {
			ID string `json:"id"`
		} `json:"add_steps"`
	}
	if out.Code != harness.DuplicateID || invalid != nil || json.Unmarshal([]byte(c.Replies[0]), &patch) != nil {
		return out, err
	}
	for _, s := range patch.Steps {
		p.Steps = append(p.Steps, plan.Step{ID: s.ID, Description: "lost", Status: plan.Pending})
	}
	return harness.Outcome{Verdict: harness.Applied, Plan: p}, nil
}

// A case may break a check of another level in a worse class: two steps with the same id are unsound, and their
// descriptions are lost, which counts from the level rules on.
func TestWorseBreakOfAnotherLevel(t *testing.T) {
	c := campaign.Config{
		Dialect: "planpatch", Seed: 1, Cases: 60, Engine: doubling{reference.New()}, Bare: true,
		Judging: judge.Options{Reference: reference.New(), Level: harness.JudgeSafety},
	}
	c.Generator.Traits = []string{"duplicate-add"}
	run, err := campaign.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r := run.Result; len(r.Causes) != 1 || r.Causes[0].Check != "ids-unique" || r.Failing == 0 {
		t.Errorf("%d failing cases, %d causes: %+v", r.Failing, len(r.Causes), r.Causes)
	}
}

// fragile is the reference, which crashes over a plan that it cannot read.
type fragile struct{ harness.Engine }

func (e fragile) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if _, err := plan.Decode(c.Plan); err != nil {
		return harness.Outcome{}, &harness.Failure{Kind: harness.Crash, Detail: "KeyError: steps", Site: "steps"}
	}
	return e.Engine.Eval(ctx, c)
}

// No engine made the invalid plan of a case: a crash over it counts as a rule that the engine lacks.
func TestInvalidPlanIsNoSafety(t *testing.T) {
	for level, want := range map[harness.Level]int{harness.JudgeSafety: 0, harness.JudgeRules: 1} {
		c := campaign.Config{
			Dialect: "planpatch", Seed: 1, Cases: 100, Engine: fragile{reference.New()}, Bare: true,
			Judging: judge.Options{Reference: reference.New(), Level: level},
		}
		c.Generator.Traits = []string{"plan-malformed", "plan-cycle"}
		run, err := campaign.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r := run.Result; len(r.Causes) != want || r.Failing > 0 != (want > 0) {
			t.Errorf("%s: %d causes, want %d: %+v", level, len(r.Causes), want, r.Causes)
		}
	}
}

// TestNoMoreThanFail: a cause counts no more cases than fail, although a case may show several of its groups.
func TestNoMoreThanFail(t *testing.T) {
	run, err := campaign.Start(t.Context(), campaign.Config{
		Dialect: "tasks", Seed: 1, Cases: 1000, Engine: all.Mutant("idle-update"), Bare: true, ShrinkBudget: -1,
		MaxFindings: 1000, Judging: judge.Options{Reference: reference.New()},
	})
	if err != nil || len(run.Result.Causes) == 0 {
		t.Fatalf("%v, causes %v", err, run.Result.Causes)
	}
	for _, c := range run.Result.Causes {
		if c.Cases > run.Result.Failing {
			t.Errorf("%s: %d cases, and %d fail", c.Sentence, c.Cases, run.Result.Failing)
		}
	}
}
