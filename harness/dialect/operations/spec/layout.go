// Package spec contains the names that the rules, generators and checks of the dialect
// operations share. It contains no rule.
package spec

import "replanbench/harness/document"

// Layout returns the paths of ids, lists and items in plans, histories and updates.
func Layout() *document.Layout {
	return &document.Layout{
		IDs: []string{
			"steps/id", "operations/step_id", "operations/stepID", "operations/stepId", "operations/id",
			"operations/step_data/id",
		},
		Lists:   []string{"steps/dependencies", "operations/step_data/dependencies"},
		Anchors: []string{"operations/position"},
		Nested:  []string{"history"},
		Counted: []string{"steps", "operations"},
		Words: []string{
			"id", "description", "dependencies", "status", "tools_expected", "steps", "reason", "type",
			"plan_metadata", "operations", "add", "modify", "remove", "reorder", "step_id", "step_data", "position", "name",
			"parameters", "version", "history", "pending", "in_progress", "running", "completed", "failed", "skipped",
		},
	}
}
