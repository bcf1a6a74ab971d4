package todos

import (
	"replanbench/harness/dialect/todos/words"
	"replanbench/harness/outcome"
)

// members lists those of outcomes.
func members() outcome.Members {
	list, was := outcome.Items(), outcome.More(words.Was, "Of each item of the list its index in the case's, or null if it is new.")
	list.Required, was.Optional = outcome.Always, true
	return outcome.Members{list, outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(), outcome.Meta(), was}
}
