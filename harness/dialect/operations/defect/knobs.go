package defect

import (
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations/spec"
)

// knobDefects follow other values of knobs than the profile has.
func knobDefects() []mutant.Defect {
	under := func(setting string) mutant.Wrap { return mutant.Following(spec.Own(), setting) }
	return []mutant.Defect{
		mutant.New("stops-at-failure", "skips the operations after a failing one and keeps those before",
			under("on_error=stop")),
		mutant.New("replaces-completed", "modifies and removes completed steps", under("done=replaceable")),
		mutant.New("resets-needing", "makes steps pending that depend on a modified one", under("dependents=reset")),
		mutant.New("sorts-update-by-dependencies", "sorts the new plan by dependencies", under("order=topological")),
		mutant.New("trims-texts", "trims names and descriptions", under("text=trim")),
		mutant.New("cuts-texts", "cuts names and descriptions after 60 characters", under("max_text=60")),
		mutant.New("rejects-out-of-range", "rejects an operation with a position that the plan does not have",
			under("out_of_range=reject")),
	}
}
