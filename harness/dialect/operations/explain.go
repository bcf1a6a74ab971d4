package operations

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/operations/words"
	"replanbench/reports/explain"
	"replanbench/reports/style"
)

// explanation tells of an update: what became of each operation, and of the plan
// and its results.
func explanation(s explain.Subject) []explain.Section {
	s.Hint = hint
	return slices.Concat(s.Why(), operations(s), s.Repairs(), s.PlanChange(), cleared(s), s.Warnings())
}

// operations tells what became of each operation, with the meaning of what
// went wrong.
func operations(s explain.Subject) []explain.Section {
	section := explain.Section{Title: "Operations"}
	for i, o := range s.Outcome.Operations {
		mark, tone := "✗", style.Bad
		switch o.Result {
		case words.Applied:
			mark, tone = "✓", style.Good
		case words.Unchanged, words.Undone, words.NotRun:
			mark, tone = "", style.Faint
		}
		kind := o.Type
		if kind == "" {
			kind = "(no type)"
		}
		section.Add(mark, 0, tone, "%d  %s %s: %s", i+1, explain.ID(kind), explain.ID(o.StepID), o.Result)
		if o.Result != words.Applied {
			section.Add("", 2, style.Plain, "%s", explain.Meaning(s.Words.Results, o.Result))
		}
		if o.Reason != "" {
			section.Add("", 2, style.Plain, "reason: %s", explain.Text(o.Reason))
		}
		if len(o.Warnings) > 0 {
			section.Add("", 2, style.Doubtful, "%s", strings.Join(o.Warnings, ", "))
		}
	}
	return section.Told()
}

// cleared lists the steps whose results went.
func cleared(s explain.Subject) []explain.Section {
	before, after := keys(s.Case.Results), keys(s.Outcome.Results)
	section := explain.Section{Title: "Results cleared"}
	for _, id := range before {
		if after != nil && !slices.Contains(after, id) {
			section.Add("-", 0, style.Bad, "%s", explain.ID(id))
		}
	}
	return section.Told()
}

// keys lists the names of an object in their order; nil if it is none.
func keys(doc jsontext.Value) []string {
	var members map[string]jsontext.Value
	if len(doc) == 0 || json.Unmarshal(doc, &members) != nil {
		return nil
	}
	names := []string{}
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// hint says how to get out of a refusal.
func hint(e harness.Event) string {
	switch e.Code {
	case harness.WrongDocument, harness.ExtraField, harness.MissingField, harness.BadType:
		return "replanbench schema operations is the form of an update"
	case harness.RepliesExhausted:
		return "give a reply (--reply FILE)"
	}
	return explain.Hint(e)
}
