package explain

import (
	"fmt"

	"replanbench/harness"
	"replanbench/reports/style"
)

// trimming tells what became of a history: its tokens, and the messages that
// were dropped or cut, by their places before trimming.
func (s Subject) trimming() []Section {
	if s.Outcome.Verdict != harness.Applied {
		section := Section{Title: "Refused"}
		s.blame(&section, -1, harness.Event{Code: s.Outcome.Code, Message: s.Outcome.Message})
		return []Section{section}
	}
	section := Section{Title: "History"}
	if t := s.Outcome.Tokens; t != nil {
		section.Title = fmt.Sprintf("History: %d → %d tokens", t.Before, t.After)
	}
	for _, i := range s.Outcome.Dropped {
		section.add("-", 0, style.Bad, "message %d dropped", i)
	}
	for _, c := range s.Outcome.Cut {
		section.add("~", 0, style.Doubtful, "message %d cut: %d → %d tokens", c.Index, c.Before, c.After)
	}
	if section.Lines == nil {
		section.add("", 0, style.Plain, "every message is as it was")
	}
	return []Section{section}
}
