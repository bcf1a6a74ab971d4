package explain

import (
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// running tells of a run or a session: what happened, and where it ended.
func (s Subject) running() []Section {
	var sections []Section
	if s.Outcome.Verdict != harness.Applied {
		section := Section{Title: "Refused"}
		s.blame(&section, -1, harness.Event{Code: s.Outcome.Code, Message: s.Outcome.Message})
		sections = append(sections, section)
	}
	if len(s.Outcome.Trace) > 0 {
		sections = append(sections, s.trace())
	}
	if before, err := all.Plan(s.Case); err == nil {
		sections = append(sections, planSection(before, s.Outcome))
	}
	return append(sections, s.ending()...)
}

// trace shows each event with its state, its step and its code.
func (s Subject) trace() Section {
	const longestData = 200
	section := Section{Title: "What happened"}
	for _, item := range s.Outcome.Trace {
		tone := style.Plain
		if item.Code != "" {
			tone = style.Bad
		}
		parts := []string{item.State, item.Event, escape.Cut(item.Step, longestID), string(item.Code), escape.Cut(string(item.Data), longestData)}
		section.add("", 0, tone, "%s", strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	}
	return section
}

// ending shows where a session of plan mode ended.
func (s Subject) ending() []Section {
	section := Section{Title: "In the end"}
	for _, m := range [][2]string{{"mode", s.Outcome.Mode}, {"phase", s.Outcome.Phase}, {"plan file", s.Outcome.Path}} {
		if m[1] != "" {
			section.add("", 0, style.Plain, "%s: %s", m[0], escape.Cut(m[1], longestText))
		}
	}
	if section.Lines == nil {
		return nil
	}
	return []Section{section}
}
