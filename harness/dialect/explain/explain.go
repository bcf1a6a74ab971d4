package explain

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// Subject is a case with its outcome. The dialect sets the fields below ReplyNames.
type Subject struct {
	Case    harness.Case
	Profile harness.Profile // the profile of the case
	Outcome harness.Outcome
	// Failure says why the engine returned no outcome.
	Failure *harness.Failure
	// Judged says whether the invariants were checked. Breaks are the broken ones.
	Judged bool
	Breaks []judge.Break
	// PlanName and ReplyNames name the files in positions such as plan.json:3:14.
	PlanName   string
	ReplyNames []string

	Words   harness.Vocabulary // the meanings of the names in closed lists
	Before  *plan.Plan         // the plan of the case
	Unsound error              // why Before is nil
	// Reason returns the specific code of a rejection for the headline, if the code of the
	// outcome is generic. It can be nil.
	Reason func(harness.Outcome) harness.Code
}

// Tell returns the story of a subject. sections returns the dialect's sections.
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

// Edit returns the sections of a plan edit, for most dialects: the reason of a rejection,
// or the repairs, changes and warnings.
func Edit(s Subject) []Section {
	return slices.Concat(s.Why(), s.Repairs(), s.PlanChange(), s.Warnings())
}

// failed returns the story of an engine that returned no outcome, with the end of its
// standard error.
func failed(f *harness.Failure) Story {
	story := Story{
		Headline: "THE ENGINE FAILED: " + string(f.Kind), Tone: style.Bad,
		Meaning: Text("it " + f.Detail),
	}
	if f.Stderr == "" {
		return story
	}
	const most = 20
	section := Section{Title: "stderr ends with", Tail: true}
	lines := f.StderrLines()
	for _, line := range lines[max(0, len(lines)-most):] {
		section.Add("", 0, style.Plain, "%s", Text(line))
	}
	story.Sections = append(story.Sections, section)
	return story
}

// opening returns the headline of the case.
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
		if code == "" || code == noReason {
			return Story{Headline: "REJECTED (no reason code)", Tone: style.Bad}
		}
		return Story{Headline: "REJECTED: " + string(code), Meaning: Meaning(s.Words.Codes, string(code)), Tone: style.Bad}
	case out.Rung == harness.RungReact && out.Plan == nil:
		return Story{
			Headline: "GIVEN UP by the rung react",
			Meaning:  "no reply was applied, and the step continues without a plan", Tone: style.Doubtful,
		}
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

// noReason is the code of engines that do not distinguish reasons.
const noReason = "refused"

// Meaning returns the meaning of a name in a closed list.
func Meaning(list []harness.Term, name string) string {
	for _, t := range list {
		if t.Name == name {
			return t.Text
		}
	}
	if name == noReason {
		return "the engine gives no reason code"
	}
	return "not in the dialect's list"
}

// Why explains a rejection without events: the plan is invalid, or a reply was rejected.
func (s Subject) Why() []Section {
	if s.Unsound != nil {
		return []Section{s.unsound()}
	}
	reply := -1
	if len(s.Case.Replies) == 1 {
		reply = 0
	}
	return s.Rejected(reply)
}

// unsound explains and locates the error in the input plan.
func (s Subject) unsound() Section {
	section := Section{Title: "The plan is invalid"}
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
	line, column := strictjson.Position(string(s.Case.Plan), offset)
	section.Add("", 0, style.Bad, "%s", e.Message)
	section.quote(s.PlanName, string(s.Case.Plan), line, column, e.Pointer)
	section.hint(s.hint(harness.Event{Code: s.Outcome.Code}))
	return section
}

// maxPlanDepth limits the nesting of plans in which positions are looked up.
const maxPlanDepth = 1000

// Rejected explains a rejection and quotes the reply with that index; -1 quotes none.
func (s Subject) Rejected(reply int) []Section {
	if s.Outcome.Verdict == harness.Applied {
		return nil
	}
	section := Section{Title: "Rejected"}
	s.Blame(&section, reply, harness.Event{Code: s.Outcome.Code, Message: s.Outcome.Message})
	return []Section{section}
}

// Blame explains the rejection of a reply, quotes the position, and suggests a fix. A
// message with a position begins with "line 3, column 14:".
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

//go:embed hints.json
var shared []byte

// hints are the hints for codes that several dialects share.
var hints = sync.OnceValue(func() (list map[string]string) {
	if err := json.Unmarshal(shared, &list); err != nil {
		panic("hints: " + err.Error())
	}
	return list
})

// hint suggests a fix for a rejection: a correct reply, or a policy that accepts the reply. A dialect has hints for an
// event with a code, for a code, and for other codes. Without one, or with an empty one, the shared hint counts.
func (s Subject) hint(e harness.Event) string {
	code, own := string(e.Code), s.Words.Hints
	for _, name := range []string{e.Event + " " + code, code, ""} {
		if text, ok := own[name]; ok {
			return cmp.Or(text, hints()[code])
		}
	}
	return hints()[code]
}

// ReplyName returns the name of a reply: its file, or "reply 1".
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

// Repairs lists the repairs, coercions and resolved conflicts.
func (s Subject) Repairs() []Section {
	section := Section{Title: "Repairs"}
	for _, r := range s.Outcome.Repairs {
		section.Add("", 0, style.Doubtful, "%s: %s%s", r.Rule, Meaning(s.Words.Repairs, r.Rule), idList(r.IDs))
	}
	section.fold()
	return section.NonEmpty()
}

// Warnings lists the warnings of the engine.
func (s Subject) Warnings() []Section {
	section := Section{Title: "Warnings"}
	for _, w := range s.Outcome.Warnings {
		section.Add("", 0, style.Doubtful, "%s: %s%s", w.Code, Meaning(s.Words.Warnings, w.Code), idList(w.IDs))
	}
	return section.NonEmpty()
}

// NonEmpty returns the section, or nil if it has no lines.
func (s Section) NonEmpty() []Section {
	if len(s.Lines) == 0 {
		return nil
	}
	return []Section{s}
}

// fold merges equal adjacent lines into one with a count.
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

// idList returns ids in parentheses, or "".
func idList(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (" + IDs(ids) + ")"
}

// IDs joins the first twelve ids and counts the others.
func IDs(ids []string) string {
	const most = 12
	shown := collect.Map(ids[:min(len(ids), most)], ID)
	if n := len(ids) - most; n > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(shown, ", ")
}

// Trace lists the events of a run or a session with state, step and code.
func (s Subject) Trace() []Section {
	if len(s.Outcome.Trace) == 0 {
		return nil
	}
	const longestData = 200
	section := Section{Title: "Trace"}
	for _, item := range s.Outcome.Trace {
		tone := style.Plain
		if item.Code != "" {
			tone = style.Bad
		}
		parts := []string{
			item.State, item.Event, ID(item.Step), string(item.Code),
			escape.Cut(string(item.Data), longestData),
		}
		section.Add("", 0, tone, "%s", strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	}
	return []Section{section}
}
