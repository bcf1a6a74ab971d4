package harness

// VocOps lists the words of outcomes.
func VocOps() Vocabulary {
	codes := append(OperationCodes(),
		NoDocument, InvalidUTF8, ReplyTooLarge, TooDeep, DuplicateKey, BadLimit, InvalidPlan, EmptyPatch, RepliesExhausted)
	return Vocabulary{
		Codes:   Only(Codes(), codes...),
		Tiers:   Tiers(),
		Repairs: ReadingRepairs(),
		Warnings: Only(Warnings(), WarnUnknownField, WarnStatusForced, WarnAmbiguousReply, WarnDuplicateDependency,
			WarnDuplicateKey, WarnPositionIgnored),
		Results: OperationTerms(),
		Updates: UpdateTypes(),
		Knobs:   Knobs4Update(),
	}
}
