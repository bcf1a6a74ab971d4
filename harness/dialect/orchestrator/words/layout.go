package words

import "replanbench/harness/document"

// Layout says where ids and items stand in plans, patches and scripts.
func Layout() *document.Layout {
	return &document.Layout{
		IDs: []string{"steps/id", "update_steps/id", "add_steps/id", "step"},
		Lists: []string{
			"remove_steps", "steps/dependencies", "update_steps/dependencies", "add_steps/dependencies",
		},
		Sets:    []string{"remove_steps", "update_steps"},
		Counted: []string{"remove_steps", "update_steps", "add_steps", "steps"},
		Words: []string{
			"type", "title", "steps", "verification_policy", "remove_steps", "update_steps", "add_steps", "reason",
			"id", "description", "dependencies", "status", "tools_expected",
			"PlanPatch", "FullPlan", "pending", "in_progress", "done", "blocked", "failed",
			"tool",
		},
	}
}
