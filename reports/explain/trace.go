package explain

import (
	"strings"

	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// Trace shows each event of a run or a session with its state, its step and its
// code.
func (s Subject) Trace() []Section {
	if len(s.Outcome.Trace) == 0 {
		return nil
	}
	const longestData = 200
	section := Section{Title: "What happened"}
	for _, item := range s.Outcome.Trace {
		tone := style.Plain
		if item.Code != "" {
			tone = style.Bad
		}
		parts := []string{item.State, item.Event, ID(item.Step), string(item.Code), escape.Cut(string(item.Data), longestData)}
		section.Add("", 0, tone, "%s", strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	}
	return []Section{section}
}
