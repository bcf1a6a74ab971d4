package todos

import (
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/todos/spec"
)

// members lists the members of outcomes.
func members() outcome.Members {
	list, was := outcome.Items(), outcome.More(spec.Was,
		"For each item, its index in the case's list, or null for a new item.")
	list.Required, was.Optional = outcome.Always, true
	return outcome.Members{list, outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(), outcome.Meta(), was}
}
