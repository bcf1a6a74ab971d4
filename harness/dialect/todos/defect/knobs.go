package defect

import (
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/todos/spec"
)

// knobDefects follow other values of knobs than the profile has.
func knobDefects() (list []mutant.Defect) {
	for _, d := range [...]struct{ name, text, setting string }{
		{"sorts-active-first", "sorts the list by status", "order=active_first"},
		{"keeps-white-space", "stores white space around contents", "text=keep"},
		{"cuts-contents", "cuts contents after 60 characters", "max_text=60"},
	} {
		list = append(list, mutant.Setting(d.name, d.text, d.setting, spec.Knobs()...))
	}
	return list
}
