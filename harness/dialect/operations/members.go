package operations

import "replanbench/harness/dialect/outcome"

// members lists the members of outcomes. Results are required if the case has some;
// an absent member equals an empty object.
func members() outcome.Members {
	plan, results, operations := outcome.Record(), outcome.Optionally(outcome.Results()),
		outcome.Optionally(outcome.Operations())
	plan.Required, operations.Required = outcome.Always, outcome.Always
	results.Required = func(a outcome.Asked) bool { return a.Case != nil && len(a.Case.Results) > 0 }
	return outcome.Members{
		plan, outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(), results, operations,
		outcome.Optionally(outcome.UpdateType()),
	}
}
