package operations

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/style"
	"replanbench/harness/plan"
)

// explanation explains an update: the result of each operation, the changes of the
// plan, and the cleared results.
func explanation(s explain.Subject) []explain.Section {
	return slices.Concat(rejected(s), update(s), operations(s), s.Repairs(), s.PlanChange(), cleared(s), s.Warnings())
}

// reason returns the code of the first operation that failed. If no operation was applied, the
// code of the outcome is empty_patch, which hides the reason.
func reason(o harness.Outcome) harness.Code {
	if o.Verdict != harness.Applied && o.Code != harness.EmptyPatch {
		return ""
	}
	for _, x := range o.Operations {
		if spec.Failed(x.Result) {
			return harness.Code(x.Result)
		}
	}
	return ""
}

// rejected says why an update was rejected. Operations give their own reasons.
func rejected(s explain.Subject) []explain.Section {
	if code := reason(s.Outcome); code != "" && s.Outcome.Verdict != harness.Applied && s.Unsound == nil {
		section := explain.Section{Title: "Rejected"}
		section.Add("", 1, style.Plain, "no operation was applied, so the update is rejected with %s; the first failed "+
			"operation has %s", harness.EmptyPatch, code)
		return []explain.Section{section}
	}
	return s.Why()
}

// update lists the type of the update and its reason, which the history of the plan
// records.
func update(s explain.Subject) []explain.Section {
	section := explain.Section{Title: "Update"}
	if o := s.Outcome; o.UpdateType != "" {
		section.Add("", 0, style.Plain, "type: %s, %s", o.UpdateType, explain.Meaning(s.Words.Updates, o.UpdateType))
	}
	after := s.Outcome.Plan
	if after == nil || after.Record == nil || s.Before == nil {
		return section.NonEmpty()
	}
	if list := after.Record.History; len(list) > len(s.Before.Record.History) {
		for _, filed := range list[len(s.Before.Record.History):] {
			var entry struct {
				Reason string `json:"update_reason"`
			}
			if json.Unmarshal(filed, &entry) == nil && entry.Reason != "" {
				section.Add("", 0, style.Plain, "reason: %s", explain.Text(entry.Reason))
			}
		}
	}
	return section.NonEmpty()
}

// nameOf returns the name of a step in parentheses, from the plan after the update
// or the one before it.
func nameOf(s explain.Subject, id string) string {
	for _, p := range []*plan.Plan{s.Outcome.Plan, s.Before} {
		if p == nil {
			continue
		}
		if step := p.Step(id); step != nil && step.Name() != "" {
			return " (" + explain.Text(step.Name()) + ")"
		}
	}
	return ""
}

// operations lists the result of each operation and explains each one that was not
// applied.
func operations(s explain.Subject) []explain.Section {
	section := explain.Section{Title: "Operations"}
	for i, o := range s.Outcome.Operations {
		mark, tone := "", style.Faint
		switch {
		case o.Result == spec.Applied:
			mark, tone = "✓", style.Good
		case spec.Failed(o.Result):
			mark, tone = "✗", style.Bad
		}
		section.Add(mark, 0, tone, "%d  %s %s%s: %s", i+1, explain.ID(cmp.Or(o.Type, "(no type)")), explain.ID(o.StepID),
			nameOf(s, o.StepID), o.Result)
		if o.Result != spec.Applied {
			section.Add("", 2, style.Plain, "%s", explain.Meaning(s.Words.Results, o.Result))
		}
		if o.Reason != "" {
			section.Add("", 2, style.Plain, "reason: %s", explain.Text(o.Reason))
		}
		if len(o.Warnings) > 0 {
			section.Add("", 2, style.Doubtful, "%s", strings.Join(o.Warnings, ", "))
		}
	}
	return section.NonEmpty()
}

// cleared lists the steps whose results were cleared.
func cleared(s explain.Subject) []explain.Section {
	before, after := keys(s.Case.Results), keys(s.Outcome.Results)
	section := explain.Section{Title: "Results cleared"}
	for _, id := range before {
		if after != nil && !slices.Contains(after, id) {
			section.Add("-", 0, style.Bad, "%s", explain.ID(id))
		}
	}
	return section.NonEmpty()
}

// keys lists the sorted member names of an object. It returns nil for other values.
func keys(doc jsontext.Value) []string {
	var members map[string]jsontext.Value
	if len(doc) == 0 || json.Unmarshal(doc, &members) != nil {
		return nil
	}
	return append([]string{}, slices.Sorted(maps.Keys(members))...)
}
