package planner_test

import (
	"cmp"
	"context"
	"encoding/json"
	"testing"

	"example.com/planner"

	"replanbench/harness"
	"replanbench/harness/enginetest"
	"replanbench/harness/plan"
)

func TestPlanner(t *testing.T) {
	enginetest.Run(t, engine{}, enginetest.Cases(500))
}

// engine is the planner as a function from a case to an outcome.
type engine struct{}

func (engine) Hello(context.Context) (harness.Hello, error) {
	declared := harness.Declaration{Profile: harness.Reference(), Without: []string{"add", "update", "title", "full plan"}}
	return harness.Hello{Name: "toy", Dialects: map[string]harness.Declaration{"planpatch": declared}}, nil
}

func (engine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	var old planner.Plan
	if len(c.Replies) == 0 || json.Unmarshal(c.Plan, &old) != nil {
		return harness.Outcome{Verdict: harness.Rejected, Code: harness.InvalidPlan}, nil
	}
	// The limits of the case are in c.Limits: a planner that adds steps gets c.Limits.MaxPlanSteps.
	changed, err := planner.Apply(old, []byte(c.Replies[0]))
	if code, refused := codes[err]; refused {
		return harness.Outcome{Verdict: harness.Rejected, Code: code, Message: err.Error()}, nil
	}
	p := &plan.Plan{Title: changed.Title}
	for _, s := range changed.Steps {
		p.Steps = append(p.Steps, plan.Step{
			ID: s.ID, Description: s.Description, Dependencies: s.Dependencies,
			Status: plan.Status(cmp.Or(s.Status, "pending")), ToolsExpected: s.ToolsExpected,
		})
	}
	return harness.Outcome{Verdict: harness.Applied, Plan: p}, nil
}

func (engine) Close() error { return nil }

var codes = map[error]harness.Code{
	planner.ErrNoPatch: harness.NoDocument, planner.ErrDone: harness.DoneImmutable, planner.ErrNothing: harness.EmptyPatch,
}
