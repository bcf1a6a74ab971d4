package generate

import "replanbench/generators/deform"

// Subjects are themes that are about one thing.
func Subjects() [][]string {
	return deform.Subjects(Traits(), [][]string{
		{
			"a long result", "a long result that is not ASCII", "a result at its limit",
			"a result at its limit that is not ASCII", "a result far over its limit",
		},
		{"no plan", "giving up planning", "giving up planning with the last replan"},
		{"a failed verification", "a missing verification"},
		{"STEP_DONE before the other word", "REPLAN before the other word"},
	}...)
}
