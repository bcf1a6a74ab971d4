package explain

import (
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/reports/escape"
	"replanbench/reports/style"
	"replanbench/scenarios"
)

// Replay tells of a scenario: why it exists, its documents and replies, then
// what came of them, and whether that is what it wants.
func Replay(s scenarios.Scenario, subject Subject) Story {
	told := Tell(subject)
	why, _, _ := strings.Cut(s.Doc, "\n")
	story := Story{Headline: s.ID, Meaning: why, Tone: style.Strong}
	story.Sections = append(story.Sections, caseSection(s, subject))
	for _, d := range subject.Case.Documents() {
		if d.Name != "plan" && len(*d.Value) > 0 { // what becomes of the plan is told below
			story.Sections = append(story.Sections, textSection(d.Name, string(scenarios.Layout(*d.Value))))
		}
	}
	for i, r := range subject.Case.Replies {
		story.Sections = append(story.Sections, textSection(fmt.Sprintf("%s, %d bytes", subject.replyName(i), len(r)), string(r)))
	}
	verdict := Section{Title: "Outcome"}
	verdict.add("", 0, told.Tone, "%s", told.Headline)
	if told.Meaning != "" {
		verdict.add("", 0, style.Plain, "%s", told.Meaning)
	}
	story.Sections = append(append(story.Sections, verdict), told.Sections...)
	if subject.Judged {
		story.Sections = append(story.Sections, subject.invariants())
	}
	if subject.Failure == nil {
		story.Sections = append(story.Sections, wantSection(s, subject))
	}
	return story
}

// invariants tells what broke that must hold for every engine.
func (s Subject) invariants() Section {
	if len(s.Breaks) == 0 {
		return Section{Title: "Every invariant holds"}
	}
	section := Section{Title: "Broken invariants"}
	for _, b := range s.Breaks {
		section.add("✗", 0, style.Bad, "%s: %s", b.Check, b.Message)
	}
	return section
}

func caseSection(s scenarios.Scenario, subject Subject) Section {
	section := Section{Title: "Case"}
	section.add("", 0, style.Plain, "dialect %s, level %s", s.Case.Dialect, s.Level)
	if s.Source != "" {
		section.add("", 0, style.Plain, "source %s", s.Source)
	}
	section.add("", 0, style.Plain, "profile %s", profileName(subject.Profile))
	if n := s.Case.Limits.MaxPlanSteps; n != nil {
		section.add("", 0, style.Plain, "at most %d steps", *n)
	}
	return section
}

// profileName is the name of the set that a profile equals, or the knobs that
// differ from the profile reference.
func profileName(p harness.Profile) string {
	if name := p.Name(); name != "" {
		return name
	}
	var knobs []string
	for _, k := range harness.Knobs() {
		if v := k.Get(p); v != k.Get(harness.Reference()) {
			knobs = append(knobs, k.Name+"="+v)
		}
	}
	return "reference with " + strings.Join(knobs, " ")
}

// textSection quotes a reply or a document, of a long one its beginning.
func textSection(title, text string) Section {
	const most, columns = 24, 76
	section := Section{Title: title}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		for first := true; first || line != ""; first = false {
			if len(section.Lines) == most {
				section.add("", 0, style.Faint, "…")
				return section
			}
			var head string
			head, line = split(line, columns)
			section.add("", 0, style.Plain, "%s", head)
		}
	}
	return section
}

// wantSection compares the outcome with what the scenario wants.
func wantSection(s scenarios.Scenario, subject Subject) Section {
	differences := s.Match(subject.Outcome)
	if len(differences) == 0 {
		section := Section{Title: "As wanted"}
		if names := s.Unchecked(subject.Outcome); len(names) > 0 {
			section.add("", 0, style.Doubtful, "not compared, since the engine did not give it: %s", strings.Join(names, ", "))
		}
		return section
	}
	section := Section{Title: "Not as wanted"}
	for _, d := range differences {
		section.add("", 0, style.Plain, "at %s", d.Pointer)
		section.add("-", 1, style.Good, "want %s", escape.Cut(d.Want, longestText))
		section.add("+", 1, style.Bad, "got  %s", escape.Cut(d.Got, longestText))
	}
	return section
}
