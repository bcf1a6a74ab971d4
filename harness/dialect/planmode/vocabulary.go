package planmode

import (
	"replanbench/harness"
	"replanbench/harness/dialect/planmode/words"
)

// vocabulary lists the codes of scripts that break the rules, and those of calls. A
// case that is no JSON at all (no_document) reaches an engine only as a Go value.
func vocabulary() harness.Vocabulary {
	return harness.Vocabulary{
		Codes: harness.Only(harness.Codes(), harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField, harness.MissingField, harness.BadType, harness.RepliesExhausted, harness.BadArguments,
			harness.AgentContext, harness.AlreadyInPlanMode, harness.NotInPlanMode, harness.ToolForbidden, harness.EmptyPlanFile, harness.SlugExhausted),
		Events: words.Events(),
		Capabilities: []harness.Term{
			{Name: "toggle", Text: "the user's own toggle, a call of a script"},
			{Name: "timestamp", Text: "the time of the context, which plan.enter carries"},
			{Name: "links", Text: "symbolic links among the files"},
			{Name: "context", Text: "to refuse a context that breaks the rules for it"},
			{Name: "files", Text: "to refuse files that break the rules for them"},
		},
		Marks: words.Calls(),
	}
}
