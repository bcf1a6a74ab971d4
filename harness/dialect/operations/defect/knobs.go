package defect

import (
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations/spec"
)

// knobDefects follow other values of knobs than the profile has.
func knobDefects() (list []mutant.Defect) {
	for _, d := range [...]struct{ name, text, setting string }{
		{"stops-at-failure", "skips the operations after a failing one and keeps those before", "on_error=stop"},
		{"replaces-completed", "modifies and removes completed steps", "done=replaceable"},
		{"resets-needing", "makes steps pending that depend on a modified one", "dependents=reset"},
		{"sorts-update-by-dependencies", "sorts the new plan by dependencies", "order=topological"},
		{"trims-texts", "trims names and descriptions", "text=trim"},
		{"cuts-texts", "cuts names and descriptions after 60 characters", "max_text=60"},
		{"rejects-out-of-range", "rejects an operation with a position that the plan does not have", "out_of_range=reject"},
	} {
		list = append(list, mutant.Setting(d.name, d.text, d.setting, spec.Own()...))
	}
	return list
}
