// Package defect lists ways in which engines of the dialect are wrong.
package defect

import (
	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
)

// Defects lists them.
func Defects() []mutant.Defect {
	return []mutant.Defect{mutant.New("replaces-title", "puts the word in place of the title", mutant.By(replacesTitle))}
}

func replacesTitle(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if out.Plan != nil {
		after := *out.Plan
		after.Title = string(c.Replies[0])
		out.Plan = &after
	}
	return out
}
