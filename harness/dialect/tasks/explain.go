package tasks

import (
	"cmp"
	"slices"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/style"
)

// explanation explains a turn: the result of each call, and the change of the graph.
func explanation(s explain.Subject) []explain.Section {
	return slices.Concat(s.Why(), calls(s), s.Repairs(), s.PlanChange(), s.Warnings())
}

// calls lists the results of the calls, and why calls were refused.
func calls(s explain.Subject) []explain.Section {
	section := explain.Section{Title: "Calls"}
	for i, r := range spec.Results(&s.Outcome) {
		switch {
		case r.OK:
			section.Add("✓", 0, style.Good, "%d  carried out%s", i+1, made(r))
		case r.Code == spec.NotRun:
			section.Add("", 0, style.Faint, "%d  not carried out, because another call was refused", i+1)
		default:
			at := ""
			if r.At != nil {
				at = " at " + explain.Text(*r.At)
			}
			section.Add("✗", 0, style.Bad, "%d  refused%s: %s", i+1, at, explain.ID(string(r.Code)))
			section.Add("", 2, style.Plain, "%s", explain.Meaning(s.Words.Codes, string(r.Code)))
		}
	}
	return section.NonEmpty()
}

// made lists the ids that a call returned.
func made(r spec.Result) string {
	text := ""
	if r.ID != "" {
		text += ", as " + explain.ID(r.ID)
	}
	if r.IDs != nil {
		text += ", as " + cmp.Or(explain.IDs(*r.IDs), "none")
	}
	if r.Ready != nil {
		text += "; ready: " + cmp.Or(explain.IDs(*r.Ready), "none")
	}
	return text
}
