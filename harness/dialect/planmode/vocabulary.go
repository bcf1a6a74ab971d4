package planmode

import (
	"replanbench/harness"
	"replanbench/harness/dialect/planmode/spec"
)

// vocabulary lists the codes of invalid scripts and of calls. A
// case that is no JSON at all (no_document) reaches an engine only as a Go value.
func vocabulary() harness.Vocabulary {
	return harness.Vocabulary{
		Codes: harness.Only(harness.Codes(), harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField,
			harness.MissingField, harness.BadType, harness.RepliesExhausted, harness.BadArguments,
			harness.AgentContext, harness.AlreadyInPlanMode, harness.NotInPlanMode, harness.ToolForbidden,
			harness.EmptyPlanFile, harness.SlugExhausted),
		Events: spec.Events(),
		Capabilities: []harness.Term{
			{Name: "toggle", Text: "accepts the user's toggle in a script"},
			{Name: "timestamp", Text: "reports the timestamp of the context in plan.enter"},
			{Name: "links", Text: "accepts symbolic links in files"},
			{Name: "context", Text: "rejects a malformed context"},
			{Name: "files", Text: "rejects malformed files"},
		},
		Marks: spec.Calls(),
	}
}
