// Package judgetest holds what the tests of several dialects' checks share. It is
// no part of the program.
package judgetest

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Engine is an engine by hand: it knows a case or two and nothing else.
type Engine func(harness.Case) (harness.Outcome, error)

// Hello declares the dialect planpatch.
func (f Engine) Hello(context.Context) (harness.Hello, error) { return Hello(), nil }

// Eval asks the function.
func (f Engine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	return f(c)
}

// Close does nothing.
func (f Engine) Close() error { return nil }

// Hello declares the dialect planpatch alone.
func Hello() harness.Hello {
	return harness.Hello{Name: "by hand", Dialects: map[string]harness.Declaration{
		"planpatch": {Profile: harness.Reference(), Features: []string{harness.FeatureLadder, harness.FeatureProfiles}},
	}}
}

// OldPlan is the plan before the edit that makes [NewPlan].
const OldPlan = `{"title":"T","steps":[
 {"id":"a","description":"A","status":"done","owner":"me"},
 {"id":"b","description":"B","dependencies":["a"],"status":"done"},
 {"id":"c","description":"C","dependencies":["b"]},
 {"id":"d","description":"D"}]}`

// NewPlan is the plan that comes of it.
func NewPlan() *plan.Plan {
	return &plan.Plan{Title: "T", Steps: []plan.Step{
		{ID: "a", Description: "A", Status: plan.Done, Extra: jsontext.Value(`{"owner":"me"}`)},
		{ID: "b", Description: "B", Dependencies: []string{"a"}, Status: plan.Done},
		{ID: "c", Description: "C2", Dependencies: []string{"b"}, Status: plan.Pending},
		{ID: "d", Description: "D", Status: plan.Pending},
		{ID: "e", Description: "E", Dependencies: []string{"c", "a"}, Status: plan.Pending},
	}}
}

// Patch is a case over [OldPlan].
func Patch(replies ...harness.Reply) harness.Case {
	if replies == nil {
		replies = []harness.Reply{Reply}
	}
	limit := 5
	return harness.Case{
		Dialect: "planpatch", Plan: jsontext.Value(OldPlan), Replies: replies,
		Limits: harness.Limits{MaxPlanSteps: &limit},
	}
}

// Reply is the patch of [Patch].
const Reply = `{"update_steps":[{"id":"c","description":"C2"}],"add_steps":[{"id":"e","description":"E","dependencies":["c","a"]}]}`
