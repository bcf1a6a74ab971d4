package trim

import "replanbench/harness"

func vocabulary() harness.Vocabulary {
	return harness.Vocabulary{Codes: harness.Only(harness.Codes(), harness.NoDocument, harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField, harness.MissingField, harness.BadType, harness.BadLimit, harness.CannotFit)}
}
