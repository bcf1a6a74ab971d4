// Package check says what must hold.
package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	grows := judge.Holds("title-grows", "the new title begins with the old one", titleGrows)
	return judge.Rules{
		Checks: slices.Concat(judge.Answers(), []judge.Check{grows, judge.Again()}, judge.Oracles()),
		Plan:   func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
	}
}

func titleGrows(x *judge.Examination) judge.Result {
	before, err := plan.Decode(x.Item.Case.Plan)
	switch {
	case err != nil || x.Out.Plan == nil:
		return judge.Skip()
	case !strings.HasPrefix(x.Out.Plan.Title, before.Title+" "):
		return judge.Broke("", "", "title", "the new title does not begin with the old one")
	}
	return judge.Held()
}
