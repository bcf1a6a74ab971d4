package planmode

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/style"
)

// explanation describes a session: its events and its end.
func explanation(s explain.Subject) []explain.Section {
	s.Hint = hint
	section := explain.Section{Title: "End of the session"}
	for _, m := range [][2]string{{"mode", s.Outcome.Mode}, {"phase", s.Outcome.Phase}, {"plan file", s.Outcome.Path}} {
		if m[1] != "" {
			section.Add("", 0, style.Plain, "%s: %s", m[0], explain.Text(m[1]))
		}
	}
	return slices.Concat(s.Rejected(-1), s.Trace(), section.NonEmpty())
}

// hint says how to get out of a refusal of a whole script.
func hint(e harness.Event) string {
	switch e.Code {
	case harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField, harness.MissingField,
		harness.BadType:
		return "see replanbench schema planmode for the form of context, files and calls"
	}
	return ""
}
