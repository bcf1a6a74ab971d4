package harness

func VocTrim() Vocabulary {
	return Vocabulary{Codes: Only(Codes(), NoDocument, InvalidUTF8, TooDeep, DuplicateKey, ExtraField, MissingField, BadType, BadLimit, CannotFit)}
}
