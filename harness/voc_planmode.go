package harness

// VocSession lists the codes of scripts that break the rules, and those of calls. A
// case that is no JSON at all (no_document) reaches an engine only as a Go value.
func VocSession() Vocabulary {
	return Vocabulary{
		Codes: Only(Codes(), InvalidUTF8, TooDeep, DuplicateKey, ExtraField, MissingField, BadType, RepliesExhausted, BadArguments,
			AgentContext, AlreadyInPlanMode, NotInPlanMode, ToolForbidden, EmptyPlanFile, SlugExhausted),
		Events: SessionEvents(),
		Marks:  SessionCalls(),
	}
}
