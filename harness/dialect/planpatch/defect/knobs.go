package defect

import (
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planpatch/spec"
)

// knobDefects follow other values of knobs than the profile has.
func knobDefects() (list []mutant.Defect) {
	for _, d := range [...]struct{ name, text, setting string }{
		{"merges-updates", "merges two updates of one step member by member although the profile forbids it", "duplicate_updates=merge"},
		{"replaces-done", "applies updates and removals of finished steps", "done=replaceable"},
		{"resets-dependents", "makes steps pending that depend on an updated one", "dependents=reset"},
		{"sorts-by-dependencies", "sorts the new plan by dependencies", "order=topological"},
		{"cuts-descriptions", "cuts titles and descriptions after 60 characters", "max_text=60"},
		{"reads-fences-only", "reads JSON in a code fence but not in prose", "reading.extract=fence"},
	} {
		list = append(list, mutant.Setting(d.name, d.text, d.setting, spec.Knobs()...))
	}
	return list
}
