package orchestrator

import (
	"math"

	"replanbench/harness"
)

// MaxReplies is how many replies a run may read at most, given the number of
// steps of its largest plan: those of planning, those of every step once in
// each plan that is followed, and those of every rung in each replan. It follows
// from the limits that hold and so is there to check that they do.
func MaxReplies(l harness.Limits, p harness.Profile, steps int) int {
	limit := func(v *int, other int) float64 {
		if v == nil {
			return float64(other)
		}
		return float64(*v)
	}
	replans := limit(l.MaxReplans, harness.DefaultMaxReplans)
	n := limit(l.PlanningRetries, harness.DefaultPlanningRetries) + 1 +
		(replans+1)*float64(steps)*limit(l.MaxStepToolCalls, harness.DefaultMaxStepToolCalls) +
		replans*float64(len(p.Ladder))
	return int(min(n, math.MaxInt32)) // more than any case holds
}
