// Package spec defines the words that rules, samples and checks of the dialect share,
// and the layout of its documents. It has no rules.
package spec

import "replanbench/harness/document"

// Layout returns the paths of ids, lists and items in plans, patches and full plans.
func Layout() *document.Layout {
	return &document.Layout{
		IDs: []string{"steps/id", "update_steps/id", "add_steps/id"},
		Lists: []string{
			"remove_steps", "steps/dependencies", "update_steps/dependencies", "add_steps/dependencies",
		},
		Sets:    []string{"remove_steps", "update_steps"},
		Counted: []string{"remove_steps", "update_steps", "add_steps", "steps"},
		Words: []string{
			"type", "title", "steps", "verification_policy", "remove_steps", "update_steps", "add_steps", "reason",
			"id", "description", "dependencies", "status", "tools_expected",
			"PlanPatch", "FullPlan", "pending", "in_progress", "done", "blocked", "failed",
		},
	}
}
