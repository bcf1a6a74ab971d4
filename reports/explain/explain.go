package explain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/judge"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// Subject is what a story is told of. What stands below ReplyNames is the dialect's.
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

	Words   harness.Vocabulary // what names of closed lists mean
	Before  *plan.Plan         // the plan of the case
	Unsound error              // why there is none
	// Reason is the true reason of a refusal, for the headline, where the code says only
	// that nothing was applied; nil is none.
	Reason func(harness.Outcome) harness.Code
	// Hint says how to get out of a refusal; nil is [Hint].
	Hint func(harness.Event) string
}

// Tell tells the story; sections are what the dialect tells of an answer.
func Tell(s Subject, sections func(Subject) []Section) Story {
	if s.Failure != nil {
		return failed(s.Failure)
	}
	story := s.opening()
	if s.Outcome.Verdict != harness.Unsupported {
		story.Sections = append(story.Sections, sections(s)...)
	}
	return story
}

// Edit tells of an edit of a plan, as most dialects do: why it was refused, or
// what was read, repaired and changed.
func Edit(s Subject) []Section {
	return slices.Concat(s.Why(), s.Repairs(), s.PlanChange(), s.Warnings())
}

// failed tells of an engine that gave no outcome, with the end of what it wrote
// to standard error.
func failed(f *harness.Failure) Story {
	story := Story{
		Headline: "THE ENGINE FAILED: " + string(f.Kind), Tone: style.Bad,
		Meaning: Text("it " + f.Detail),
	}
	if f.Stderr == "" {
		return story
	}
	const most = 20
	section := Section{Title: "Its standard error ends with"}
	lines := strings.Split(strings.TrimRight(f.Stderr, "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-most):] {
		section.Add("", 0, style.Plain, "%s", Text(line))
	}
	story.Sections = append(story.Sections, section)
	return story
}

// opening says what came of the case.
func (s Subject) opening() Story {
	out := s.Outcome
	switch {
	case out.Verdict == harness.Unsupported:
		return Story{Headline: "UNSUPPORTED", Meaning: Text(out.Message), Tone: style.Bad}
	case out.Verdict != harness.Applied:
		code := out.Code
		if s.Reason != nil {
			code = cmp.Or(s.Reason(out), code)
		}
		return Story{Headline: "REFUSED: " + string(code), Meaning: Meaning(s.Words.Codes, string(code)), Tone: style.Bad}
	case out.Rung == harness.RungReact && out.Plan == nil:
		return Story{Headline: "GIVEN UP by the rung react", Meaning: "no reply was applied: planning was given up, and the step goes on without a plan", Tone: style.Doubtful}
	}
	story := Story{Headline: "APPLIED", Tone: style.Good}
	if out.Rung != "" {
		story.Headline += " by the rung " + string(out.Rung)
	}
	if out.Tier != "" {
		story.Headline += ", tier " + string(out.Tier)
		story.Meaning = Meaning(s.Words.Tiers, string(out.Tier))
	}
	return story
}

// Meaning looks a name of a closed list up.
func Meaning(list []harness.Term, name string) string {
	for _, t := range list {
		if t.Name == name {
			return t.Text
		}
	}
	return "unknown to this program"
}

// Why says why nothing was applied: the plan is unsound, or a reply was refused
// of which the engine gave no events.
func (s Subject) Why() []Section {
	if s.Unsound != nil {
		return []Section{s.unsound()}
	}
	reply := -1
	if len(s.Case.Replies) == 1 {
		reply = 0
	}
	return s.Refused(reply)
}

// unsound says what is wrong with the input plan, and where.
func (s Subject) unsound() Section {
	section := Section{Title: "The plan is not sound"}
	var e *plan.Error
	if !errors.As(s.Unsound, &e) {
		section.Add("", 0, style.Bad, "%s", s.Unsound)
		return section
	}
	offset := e.Offset
	if doc, err := strictjson.Parse(s.Case.Plan, maxPlanDepth); err == nil {
		if v := doc.Root.At(e.Pointer); v != nil && offset == 0 {
			offset = v.Start
		}
	}
	line, column := strictjson.Position(s.Case.Plan, offset)
	section.Add("", 0, style.Bad, "%s", e.Message)
	section.quote(s.PlanName, string(s.Case.Plan), line, column, e.Pointer)
	section.hint(s.hint(harness.Event{Code: s.Outcome.Code}))
	return section
}

// maxPlanDepth bounds the nesting of plans that places are looked up in.
const maxPlanDepth = 1000

// Refused tells of a refusal, with the reply that is to blame, or -1.
func (s Subject) Refused(reply int) []Section {
	if s.Outcome.Verdict == harness.Applied {
		return nil
	}
	section := Section{Title: "Refused"}
	s.Blame(&section, reply, harness.Event{Code: s.Outcome.Code, Message: s.Outcome.Message})
	return []Section{section}
}

// Blame says why a reply was refused, quotes the place, and says how to get
// out. A message that begins with "line 3, column 14:" has a place.
func (s Subject) Blame(section *Section, reply int, e harness.Event) {
	line, column, message := Place(e.Message)
	if message == "" {
		message = Meaning(s.Words.Codes, string(e.Code))
	}
	section.Add("", 1, style.Plain, "%s", Text(message))
	if reply >= 0 && reply < len(s.Case.Replies) && line > 0 {
		pointer := ""
		if at := s.Outcome.At; at != nil && s.Outcome.Code == e.Code {
			pointer = *at
		}
		section.quote(s.ReplyName(reply), string(s.Case.Replies[reply]), line, column, pointer)
	}
	section.hint(s.hint(e))
}

func (s Subject) hint(e harness.Event) string {
	if s.Hint == nil {
		return Hint(e)
	}
	return s.Hint(e)
}

// ReplyName is what a reply is called.
func (s Subject) ReplyName(i int) string {
	if i < len(s.ReplyNames) {
		return s.ReplyNames[i]
	}
	return "reply " + strconv.Itoa(i+1)
}

// Place splits "line 3, column 14: message".
func Place(message string) (line, column int, rest string) {
	head, tail, ok := strings.Cut(message, ": ")
	if !ok {
		return 0, 0, message
	}
	if n, err := fmt.Sscanf(head, "line %d, column %d", &line, &column); n != 2 || err != nil || line < 1 || column < 1 {
		return 0, 0, message
	}
	return line, column, tail
}

// Repairs tells what was repaired, coerced and settled.
func (s Subject) Repairs() []Section {
	section := Section{Title: "Repairs"}
	for _, r := range s.Outcome.Repairs {
		section.Add("", 0, style.Doubtful, "%s: %s%s", r.Rule, Meaning(s.Words.Repairs, r.Rule), idList(r.IDs))
	}
	section.fold()
	return section.Told()
}

// Warnings tells what the engine warns of.
func (s Subject) Warnings() []Section {
	section := Section{Title: "Warnings"}
	for _, w := range s.Outcome.Warnings {
		section.Add("", 0, style.Doubtful, "%s: %s%s", w.Code, Meaning(s.Words.Warnings, w.Code), idList(w.IDs))
	}
	return section.Told()
}

// Told returns the section, or nothing if it has no lines.
func (s Section) Told() []Section {
	if len(s.Lines) == 0 {
		return nil
	}
	return []Section{s}
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
		shown = append(shown, ID(id))
	}
	if n := len(ids) - most; n > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(shown, ", ")
}

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
