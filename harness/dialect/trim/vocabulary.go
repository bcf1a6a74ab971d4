package trim

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/history"
)

func vocabulary() harness.Vocabulary {
	return harness.Vocabulary{
		Codes: harness.Only(harness.Codes(), harness.NoDocument, harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey,
			harness.ExtraField, harness.MissingField, harness.BadType, harness.BadLimit, harness.CannotFit),
		// An engine mostly has one policy, or two.
		Capabilities: slices.Concat(history.Policies(), []harness.Term{
			{Name: "messages", Text: "rejects malformed messages"},
			{Name: "budget", Text: "rejects a malformed budget"},
			{Name: "policy", Text: "rejects a malformed policy"},
		}),
	}
}
