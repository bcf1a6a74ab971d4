package defect

import (
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planpatch/spec"
)

// knobDefects follow other values of knobs than the profile has.
func knobDefects() []mutant.Defect {
	under := func(setting string) mutant.Wrap { return mutant.Following(spec.Knobs(), setting) }
	return []mutant.Defect{
		mutant.New("merges-updates", "merges two updates of one step member by member although the profile forbids it",
			under("duplicate_updates=merge")),
		mutant.New("replaces-done", "applies updates and removals of finished steps", under("done=replaceable")),
		mutant.New("resets-dependents", "makes steps pending that depend on an updated one", under("dependents=reset")),
		mutant.New("sorts-by-dependencies", "sorts the new plan by dependencies", under("order=topological")),
		mutant.New("cuts-descriptions", "cuts titles and descriptions after 60 characters", under("max_text=60")),
		mutant.New("reads-fences-only", "reads JSON in a code fence but not in prose", under("reading.extract=fence")),
	}
}
