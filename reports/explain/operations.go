package explain

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/operations/words"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// operations tells what became of each operation, with the meaning of what
// went wrong.
func (s Subject) operations() Section {
	section := Section{Title: "Operations"}
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
		section.add(mark, 0, tone, "%d  %s %s: %s", i+1, escape.Cut(kind, longestID), escape.Cut(o.StepID, longestID), o.Result)
		if o.Result != words.Applied {
			section.add("", 2, style.Plain, "%s", meaning(all.Vocabulary("operations").Results, o.Result))
		}
		if len(o.Warnings) > 0 {
			section.add("", 2, style.Doubtful, "%s", strings.Join(o.Warnings, ", "))
		}
	}
	return section
}

// cleared lists the steps whose results went.
func (s Subject) cleared() (ids []string) {
	before, after := keys(s.Case.Results), keys(s.Outcome.Results)
	if after == nil {
		return nil
	}
	for _, id := range before {
		if !slices.Contains(after, id) {
			ids = append(ids, id)
		}
	}
	return ids
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

func resultSection(ids []string) Section {
	section := Section{Title: "Results cleared"}
	for _, id := range ids {
		section.add("-", 0, style.Bad, "%s", escape.Cut(id, longestID))
	}
	return section
}
