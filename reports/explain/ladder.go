package explain

import (
	"fmt"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// ladder tells the events, each with the reply that it is about.
func (s Subject) ladder() Section {
	var rungs []string
	for _, r := range s.Profile.Ladder {
		rungs = append(rungs, string(r))
	}
	section := Section{Title: "Ladder: " + strings.Join(rungs, " → ")}
	next := 0 // the first reply that no event was about
	for i, e := range s.Outcome.Events {
		reply, again := -1, false
		switch e.Event {
		case harness.EventPatchApplied, harness.EventPatchRejected:
			reply, next = next, next+1
		case harness.EventFullPlanUsed, harness.EventFullPlanRejected:
			// Where no unread reply is left, the last one is read again.
			if again = next >= len(s.Case.Replies); !again {
				next++
			}
			reply = next - 1
		}
		s.event(&section, i+1, e, reply, again)
	}
	return section
}

func (s Subject) event(section *Section, number int, e harness.Event, reply int, again bool) {
	line := fmt.Sprintf("%d %s", number, e.Event)
	if e.Code != "" {
		line += ": " + string(e.Code)
	}
	if e.Meta != nil {
		line += fmt.Sprintf(": %d added, %d updated, %d removed", e.Meta.Added, e.Meta.Updated, e.Meta.Removed)
		if e.Meta.TruncatedAdd {
			line += fmt.Sprintf(", %d left out", len(e.Meta.Dropped))
		}
	}
	if s.has(reply) {
		name := s.replyName(reply)
		if again {
			name += " again"
		}
		line += fmt.Sprintf("  [%s, %d bytes]", name, len(s.Case.Replies[reply]))
	}
	section.add("", 0, eventTone(e), "%s", line)
	if e.Reason != "" {
		section.add("", 1, style.Plain, "reason given: %s", escape.Cut(e.Reason, longestText))
	}
	switch {
	case e.Code == "":
	case again:
		_, _, message := place(e.Message)
		section.add("", 1, style.Plain, "%s", escape.Cut(message, longestText))
	default:
		s.blame(section, reply, e)
	}
}

func (s Subject) has(reply int) bool { return reply >= 0 && reply < len(s.Case.Replies) }

func eventTone(e harness.Event) style.Tone {
	switch e.Event {
	case harness.EventPatchApplied, harness.EventFullPlanUsed:
		return style.Good
	case harness.EventPatchRejected, harness.EventFullPlanRejected, harness.EventReplanFailed:
		return style.Bad
	case harness.EventReactUsed:
		return style.Doubtful
	}
	return style.Plain
}

func (s Subject) replyName(i int) string {
	if i < len(s.ReplyNames) {
		return s.ReplyNames[i]
	}
	return "reply " + strconv.Itoa(i+1)
}

// blame says why a reply was refused, quotes the place, and says how to get
// out. A message that begins with "line 3, column 14:" has a place.
func (s Subject) blame(section *Section, reply int, e harness.Event) {
	line, column, message := place(e.Message)
	if message == "" {
		message = meaning(harness.Codes(), string(e.Code))
	}
	section.add("", 1, style.Plain, "%s", escape.Cut(message, longestText))
	if s.has(reply) && line > 0 {
		pointer := ""
		if at := s.Outcome.At; at != nil && s.Outcome.Code == e.Code {
			pointer = *at
		}
		section.quote(s.replyName(reply), string(s.Case.Replies[reply]), line, column, pointer)
	}
	if e.Event == harness.EventFullPlanRejected && e.Code == harness.WrongDocument {
		section.hint("this rung reads a whole plan: an object with title and steps")
	} else {
		section.hint(hintFor(s.Case.Dialect, e.Code))
	}
}

// place splits "line 3, column 14: message".
func place(message string) (line, column int, rest string) {
	head, tail, ok := strings.Cut(message, ": ")
	if !ok {
		return 0, 0, message
	}
	if n, err := fmt.Sscanf(head, "line %d, column %d", &line, &column); n != 2 || err != nil || line < 1 || column < 1 {
		return 0, 0, message
	}
	return line, column, tail
}
