package operations

import (
	"replanbench/harness"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
)

// vocabulary lists the codes, warnings, results and knobs of the dialect.
func vocabulary() harness.Vocabulary {
	codes := append(spec.Codes(),
		harness.NoDocument, harness.InvalidUTF8, harness.ReplyTooLarge, harness.TooDeep, harness.DuplicateKey,
		harness.BadLimit, harness.InvalidPlan, harness.EmptyPatch, harness.RepliesExhausted)
	return harness.Vocabulary{
		Codes:   harness.Only(harness.Codes(), codes...),
		Tiers:   harness.Tiers(),
		Repairs: harness.ReadingRepairs(),
		Warnings: harness.Only(harness.Warnings(), harness.WarnUnknownField, harness.WarnStatusForced,
			harness.WarnAmbiguousReply, harness.WarnDuplicateDependency,
			harness.WarnDuplicateKey, harness.WarnPositionIgnored, harness.WarnDetached, harness.WarnBridged),
		Results: spec.ResultTerms(),
		Updates: spec.UpdateTypes(),
		Knobs:   spec.Knobs(),
		Own:     spec.Own(),

		Capabilities: rules.Capabilities(),
	}
}
