package trim

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/history"
)

func vocabulary() harness.Vocabulary {
	return harness.Vocabulary{
		Codes: harness.Only(harness.Codes(), harness.NoDocument, harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField, harness.MissingField, harness.BadType, harness.BadLimit, harness.CannotFit),
		// An engine mostly has one policy, or two.
		Capabilities: slices.Concat(history.Policies(), []harness.Term{
			{Name: "messages", Text: "to refuse messages that break the rules for them"},
			{Name: "budget", Text: "to refuse a budget that breaks the rules for it"},
			{Name: "policy", Text: "to refuse a policy that breaks the rules for it"},
		}),
	}
}
