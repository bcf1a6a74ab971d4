package planpatch

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
)

// members lists the members of outcomes. Every applied outcome has a plan except one that ends in react.
func members() outcome.Members {
	plan := outcome.Plan()
	plan.Required = func(a outcome.Asked) bool {
		if a.Outcome.Rung == "" && a.Profile != nil {
			return !slices.Contains(a.Profile.Ladder, harness.RungReact)
		}
		return a.Outcome.Rung != harness.RungReact
	}
	return outcome.Members{
		plan, outcome.Rung(), outcome.GaveUp(), outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(),
		outcome.Meta(), outcome.Events(),
	}
}
