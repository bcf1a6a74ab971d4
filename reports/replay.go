package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/judge"
	"replanbench/reports/screen"
	"replanbench/scenarios"
)

// Replayed is a scenario that was run again.
type Replayed struct {
	explain.Subject
	Scenario scenarios.Scenario
	Well     bool // the outcome is as expected, at the level of the run
	Wider    int  // violations that the next level would add
}

// Story returns the story of a scenario: its purpose, documents, replies and outcome, and
// whether the outcome is the expected one.
func (x *Replayed) Story() explain.Story {
	outcome := all.Tell(x.Subject)
	why, _, _ := strings.Cut(x.Scenario.Doc, "\n")
	verdict := explain.Section{Title: "Outcome"}
	verdict.Add("", 0, outcome.Tone, "%s", outcome.Headline)
	if outcome.Meaning != "" {
		verdict.Add("", 0, style.Plain, "%s", outcome.Meaning)
	}
	sections := append([]explain.Section{x.caseSection()}, x.documents()...)
	sections = slices.Concat(append(sections, verdict), outcome.Sections, x.judged())
	return explain.Story{Headline: x.Scenario.ID, Meaning: why, Tone: style.Strong, Sections: sections}
}

// screen answers whether the scenario has the expected outcome: first the differences, then
// the steps of the engine and the case.
func (x *Replayed) screen(engine string) screen.Screen {
	short := *x
	if differs := wantSection(x.Scenario, x.Subject); len(differs.Lines) > 0 { // shows what the reference would do
		short.Breaks = slices.DeleteFunc(slices.Clone(x.Breaks), func(b judge.Break) bool {
			return b.Check == judge.Reference
		})
	}
	outcome := all.Tell(x.Subject)
	sections := slices.Concat(short.judged(), outcome.Sections, x.documents())
	isLadder := func(s explain.Section) bool { return strings.HasPrefix(s.Title, "Ladder") }
	if !x.Well {
		sections = slices.DeleteFunc(sections, func(s explain.Section) bool { return len(s.Lines) == 0 || isLadder(s) })
	} else {
		sections = sections[len(short.judged()):]
	}
	s := screen.Screen{
		Head: fmt.Sprintf("PASS: %s: %s; %s", engine, x.Scenario.ID, outcome.Headline), Tone: style.Good,
		Lists: screen.Sections(sections),
	}
	if !x.Well {
		s.Head, s.Tone = "FAIL"+strings.TrimPrefix(s.Head, "PASS"), style.Bad
		if limits := boundsOf(x.Scenario.Case); limits != "" {
			s.Head += "; limits: " + limits
		}
	}
	return s
}

// documents quotes the documents of the case, short ones first, and its replies.
func (x *Replayed) documents() (list []explain.Section) {
	for name, value := range x.Case.Documents() {
		below := name == "plan" && x.Outcome.Plan != nil // another section shows the plan
		if !below && len(value) > 0 {
			list = append(list, explain.Quoted(name, string(scenarios.Layout(value))))
		}
	}
	slices.SortStableFunc(list, func(a, b explain.Section) int {
		return cmp.Compare(min(2, len(a.Lines)), min(2, len(b.Lines)))
	})
	for i, r := range x.Case.Replies {
		list = append(list, explain.Quoted(fmt.Sprintf("%s, %d bytes", x.ReplyName(i), len(r)), string(r)))
	}
	return list
}

// judged lists the broken invariants, and the differences from the expected outcome.
func (x *Replayed) judged() (list []explain.Section) {
	if x.Judged {
		list = append(list, invariants(x.Subject))
	}
	if x.Failure == nil {
		list = append(list, wantSection(x.Scenario, x.Subject))
	}
	return list
}

// StoryScreen shows the story of a run, first the sections with errors.
func StoryScreen(story explain.Story, name string) screen.Screen {
	s := screen.Screen{Head: fmt.Sprintf("%s (%s)", story.Headline, strings.TrimSpace(name)), Tone: story.Tone}
	if story.Meaning != "" {
		s.Head += "; " + story.Meaning
	}
	var wrong, rest []explain.Section
	for _, x := range story.Sections {
		if slices.ContainsFunc(x.Lines, func(l explain.Line) bool { return l.Mark == "✗" }) {
			wrong = append(wrong, x)
		} else {
			rest = append(rest, x)
		}
	}
	s.Lists = screen.Sections(append(wrong, rest...))
	return s
}

// ReplayScreen answers whether scenarios have the expected outcomes.
func ReplayScreen(hello harness.Hello, list []Replayed, level harness.Level) (s screen.Screen) {
	engine, wider := Engine{Name: hello.Name, Version: hello.Version}.String(), 0
	var items []screen.Item
	for i := range list {
		x := &list[i]
		s = x.screen(engine)
		if wider += x.Wider; !x.Well {
			items = append(items, screen.Item{Text: x.Scenario.ID + ": " + x.wrong()})
		}
	}
	if len(list) > 1 {
		s = screen.Screen{Head: fmt.Sprintf("PASS: %s: %d cases as expected", engine, len(list)), Tone: style.Good}
		if n := len(items); n > 0 {
			s.Head = fmt.Sprintf("FAIL: %s: %d cases: %d as expected, %d not", engine, len(list), len(list)-n, n)
			s.Tone, s.Lists = style.Bad, []screen.List{{Title: fmt.Sprintf("Not as expected: %d", n), Items: items}}
		}
	}
	if line := widerLine(level, wider); line != "" {
		s.Notes = append(s.Notes, line)
	}
	return s
}

// wrong describes the first difference in one line.
func (x *Replayed) wrong() string {
	if len(x.Breaks) > 0 {
		return x.Breaks[0].Message
	}
	if x.Failure != nil {
		return "the engine failed: " + string(x.Failure.Kind)
	}
	return Failure{Differences: x.Scenario.Match(x.Outcome)}.brief()
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

func (x *Replayed) caseSection() explain.Section {
	s := x.Scenario
	section := explain.Section{Title: "Case"}
	section.Add("", 0, style.Plain, "dialect %s, level %s", s.Case.Dialect, s.Level)
	if s.Source != "" {
		section.Add("", 0, style.Plain, "source %s", s.Source)
	}
	section.Add("", 0, style.Plain, "profile %s", profileName(x.Profile, all.Vocabulary(s.Case.Dialect).Own))
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
	slices.SortStableFunc(differences, func(a, b outcome.Path) int { // the verdict before what follows from it
		return cmp.Compare(strings.Count(a.Pointer, "/"), strings.Count(b.Pointer, "/"))
	})
	for _, d := range differences {
		want, got := explain.Texts(d.Want, d.Got)
		if line := fmt.Sprintf("at %s: expected %s, got %s", d.Pointer, want, got); len(line) <= explain.Columns {
			section.Add("", 0, style.Plain, "%s", line)
			continue
		}
		section.Add("", 0, style.Plain, "at %s", d.Pointer)
		section.Add("-", 1, style.Good, "expected %s", want)
		section.Add("+", 1, style.Bad, "got      %s", got)
	}
	return section
}
