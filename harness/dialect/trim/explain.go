package trim

import (
	"fmt"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/style"
)

// explanation tells what became of a history: its tokens, and the messages that
// were dropped or cut, by their places before trimming.
func explanation(s explain.Subject) []explain.Section {
	s.Hint = hint
	if s.Outcome.Verdict != harness.Applied {
		return s.Rejected(-1)
	}
	section := explain.Section{Title: "History"}
	if t := s.Outcome.Tokens; t != nil {
		section.Title = fmt.Sprintf("History: %d → %d tokens", t.Before, t.After)
	}
	for _, i := range s.Outcome.Dropped {
		section.Add("-", 0, style.Bad, "message %d dropped", i)
	}
	for _, c := range s.Outcome.Cut {
		section.Add("~", 0, style.Doubtful, "message %d cut: %d → %d tokens", c.Index, c.Before, c.After)
	}
	if section.Lines == nil {
		section.Add("", 0, style.Plain, "every message is unchanged")
	}
	return []explain.Section{section}
}

// hint returns advice for a rejection.
func hint(e harness.Event) string {
	switch e.Code {
	case harness.CannotFit:
		return "the messages that must stay exceed the budget: shorten them, or raise the budget"
	case harness.BadLimit:
		return "max_tokens must be at least 1; replanbench list trimming shows the thresholds of each policy"
	}
	return "see replanbench schema trim for the form of messages, budget and policy"
}
