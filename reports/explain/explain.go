package explain

import (
	"errors"
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/judge"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// Subject is what a story is told of.
type Subject struct {
	Case    harness.Case
	Profile harness.Profile // the one that the case ran under
	Outcome harness.Outcome
	// Failure is what the engine did in place of giving an outcome.
	Failure *harness.Failure
	// Judged says that the invariants were checked, and Breaks which broke.
	Judged bool
	Breaks []judge.Break
	// PlanName and ReplyNames are what places are given in: file names, or
	// something like them.
	PlanName   string
	ReplyNames []string
}

// Tell tells the story.
func Tell(s Subject) Story {
	if s.Failure != nil {
		return failed(s.Failure)
	}
	story := opening(s.Outcome)
	if s.Outcome.Verdict == harness.Unsupported {
		return story
	}
	tell, ok := tellers()[s.Case.Dialect]
	if !ok {
		tell = Subject.patching
	}
	story.Sections = append(story.Sections, tell(s)...)
	return story
}

// tellers tell what came of a case of each dialect.
func tellers() map[string]func(Subject) []Section {
	return map[string]func(Subject) []Section{
		"planpatch":    Subject.patching,
		"operations":   Subject.patching,
		"orchestrator": Subject.running,
		"planmode":     Subject.running,
		"trim":         Subject.trimming,
	}
}

// patching tells of an edit of a plan: why it was refused, or what was read,
// repaired and changed.
func (s Subject) patching() []Section {
	var sections []Section
	before, err := all.Plan(s.Case)
	switch {
	case err != nil:
		sections = append(sections, s.unsound(err))
	case len(s.Outcome.Events) > 0:
		sections = append(sections, s.ladder())
	case s.Outcome.Verdict != harness.Applied:
		sections = append(sections, s.refused())
	}
	if len(s.Outcome.Operations) > 0 {
		sections = append(sections, s.operations())
	}
	if len(s.Outcome.Repairs) > 0 {
		sections = append(sections, s.repairs())
	}
	if before != nil {
		sections = append(sections, planSection(before, s.Outcome))
	}
	if gone := s.cleared(); gone != nil {
		sections = append(sections, resultSection(gone))
	}
	if len(s.Outcome.Warnings) > 0 {
		sections = append(sections, s.warnings())
	}
	return sections
}

// failed tells of an engine that gave no outcome, with the end of what it wrote
// to standard error.
func failed(f *harness.Failure) Story {
	story := Story{
		Headline: "THE ENGINE FAILED: " + string(f.Kind), Tone: style.Bad,
		Meaning: escape.Cut("it "+f.Detail, longestText),
	}
	if f.Stderr == "" {
		return story
	}
	const most = 20
	section := Section{Title: "Its standard error ends with"}
	lines := strings.Split(strings.TrimRight(f.Stderr, "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-most):] {
		section.add("", 0, style.Plain, "%s", escape.Cut(line, longestText))
	}
	story.Sections = append(story.Sections, section)
	return story
}

// opening says what came of the case.
func opening(out harness.Outcome) Story {
	switch {
	case out.Verdict == harness.Unsupported:
		return Story{Headline: "UNSUPPORTED", Meaning: escape.Cut(out.Message, longestText), Tone: style.Bad}
	case out.Verdict != harness.Applied:
		return Story{Headline: "REFUSED: " + string(out.Code), Meaning: meaning(harness.Codes(), string(out.Code)), Tone: style.Bad}
	case out.Rung == harness.RungReact:
		return Story{Headline: "APPLIED by the rung react", Meaning: meaning(harness.Rungs(), string(out.Rung)), Tone: style.Doubtful}
	}
	s := Story{Headline: "APPLIED", Tone: style.Good}
	if out.Rung != "" {
		s.Headline += " by the rung " + string(out.Rung)
	}
	if out.Tier != "" {
		s.Headline += ", tier " + string(out.Tier)
		s.Meaning = meaning(harness.Tiers(), string(out.Tier))
	}
	return s
}

// meaning looks a name of a closed list up.
func meaning(list []harness.Term, name string) string {
	for _, t := range list {
		if t.Name == name {
			return t.Text
		}
	}
	return "unknown to this program"
}

// unsound says what is wrong with the input plan, and where.
func (s Subject) unsound(err error) Section {
	section := Section{Title: "The plan is not sound"}
	var e *plan.Error
	if !errors.As(err, &e) {
		section.add("", 0, style.Bad, "%s", err)
		return section
	}
	offset := e.Offset
	if doc, err := strictjson.Parse(s.Case.Plan, maxPlanDepth); err == nil {
		if v := doc.Root.At(e.Pointer); v != nil && offset == 0 {
			offset = v.Start
		}
	}
	line, column := strictjson.Position(s.Case.Plan, offset)
	section.add("", 0, style.Bad, "%s", e.Message)
	section.quote(s.PlanName, string(s.Case.Plan), line, column, e.Pointer)
	section.hint(hint(s.Outcome.Code))
	return section
}

// maxPlanDepth bounds the nesting of plans that places are looked up in.
const maxPlanDepth = 1000

// refused tells of a refusal of which the engine gave no events.
func (s Subject) refused() Section {
	section := Section{Title: "Refused"}
	reply := -1
	if len(s.Case.Replies) == 1 {
		reply = 0
	}
	s.blame(&section, reply, harness.Event{Code: s.Outcome.Code, Message: s.Outcome.Message})
	return section
}

func (s Subject) repairs() Section {
	section := Section{Title: "Repairs"}
	for _, r := range s.Outcome.Repairs {
		section.add("", 0, style.Doubtful, "%s: %s%s", r.Rule, meaning(harness.RepairRules(), r.Rule), idList(r.IDs))
	}
	section.fold()
	return section
}

func (s Subject) warnings() Section {
	section := Section{Title: "Warnings"}
	for _, w := range s.Outcome.Warnings {
		section.add("", 0, style.Doubtful, "%s: %s%s", w.Code, meaning(harness.Warnings(), w.Code), idList(w.IDs))
	}
	return section
}

// fold puts equal lines that follow each other into one, with their number.
func (s *Section) fold() {
	var lines []Line
	for i := 0; i < len(s.Lines); {
		n := 1
		for i+n < len(s.Lines) && s.Lines[i+n] == s.Lines[i] {
			n++
		}
		l := s.Lines[i]
		if n > 1 {
			l.Text += fmt.Sprintf(" (%d times)", n)
		}
		lines = append(lines, l)
		i += n
	}
	s.Lines = lines
}

// idList names ids behind a sentence.
func idList(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (" + names(ids) + ")"
}

// names joins ids; of many only the first.
func names(ids []string) string {
	const most = 12
	var shown []string
	for _, id := range ids[:min(len(ids), most)] {
		shown = append(shown, escape.Cut(id, longestID))
	}
	if n := len(ids) - most; n > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(shown, ", ")
}
