package reports

import (
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/style"
	"replanbench/scenarios"
)

// Replay returns the story of a scenario: its purpose, documents, replies and outcome, and
// whether the outcome is the expected one.
func Replay(s scenarios.Scenario, subject explain.Subject) explain.Story {
	outcome := all.Tell(subject)
	why, _, _ := strings.Cut(s.Doc, "\n")
	story := explain.Story{Headline: s.ID, Meaning: why, Tone: style.Strong}
	story.Sections = append(story.Sections, caseSection(s, subject))
	for name, value := range subject.Case.Documents() {
		below := name == "plan" && subject.Outcome.Plan != nil // a later section shows the plan
		if !below && len(value) > 0 {
			story.Sections = append(story.Sections, explain.Quoted(name, string(scenarios.Layout(value))))
		}
	}
	for i, r := range subject.Case.Replies {
		story.Sections = append(story.Sections, explain.Quoted(fmt.Sprintf("%s, %d bytes", subject.ReplyName(i), len(r)),
			string(r)))
	}
	verdict := explain.Section{Title: "Outcome"}
	verdict.Add("", 0, outcome.Tone, "%s", outcome.Headline)
	if outcome.Meaning != "" {
		verdict.Add("", 0, style.Plain, "%s", outcome.Meaning)
	}
	story.Sections = append(append(story.Sections, verdict), outcome.Sections...)
	if subject.Judged {
		story.Sections = append(story.Sections, invariants(subject))
	}
	if subject.Failure == nil {
		story.Sections = append(story.Sections, wantSection(s, subject))
	}
	return story
}

// invariants lists the broken invariants.
func invariants(s explain.Subject) explain.Section {
	if len(s.Breaks) == 0 {
		return explain.Section{Title: "All invariants hold"}
	}
	section := explain.Section{Title: "Broken invariants"}
	for _, b := range s.Breaks {
		section.Add("✗", 0, style.Bad, "%s: %s", b.Check, b.Message)
	}
	return section
}

func caseSection(s scenarios.Scenario, subject explain.Subject) explain.Section {
	section := explain.Section{Title: "Case"}
	section.Add("", 0, style.Plain, "dialect %s, level %s", s.Case.Dialect, s.Level)
	if s.Source != "" {
		section.Add("", 0, style.Plain, "source %s", s.Source)
	}
	section.Add("", 0, style.Plain, "profile %s", profileName(subject.Profile, all.Vocabulary(s.Case.Dialect).Own))
	if bounds := boundsOf(s.Case); bounds != "" {
		section.Add("", 0, style.Plain, "limits %s", bounds)
	}
	return section
}

// profileName returns the name of an equal profile, or the knobs that differ from the
// profile reference.
func profileName(p harness.Profile, own []harness.Knob) string {
	p = p.For(own)
	if name := p.Name(); name != "" {
		return name
	}
	var knobs []string
	for _, k := range harness.Knobs(own...) {
		if v := k.Get(p); v != k.Get(harness.Reference()) {
			knobs = append(knobs, k.Name+"="+v)
		}
	}
	return "reference with " + strings.Join(knobs, " ")
}

// wantSection compares the outcome with the expected outcome of the scenario.
func wantSection(s scenarios.Scenario, subject explain.Subject) explain.Section {
	differences := s.Match(subject.Outcome)
	if len(differences) == 0 {
		section := explain.Section{Title: "As expected"}
		if names := s.Unchecked(subject.Outcome); len(names) > 0 {
			section.Add("", 0, style.Doubtful, "not compared, because the engine did not return it: %s",
				strings.Join(names, ", "))
		}
		return section
	}
	section := explain.Section{Title: "Not as expected"}
	for _, d := range differences {
		section.Add("", 0, style.Plain, "at %s", d.Pointer)
		want, got := explain.Texts(d.Want, d.Got)
		section.Add("-", 1, style.Good, "want %s", want)
		section.Add("+", 1, style.Bad, "got  %s", got)
	}
	return section
}
