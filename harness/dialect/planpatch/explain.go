package planpatch

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
)

// explanation explains a patch, and the rungs of the ladder if there are events.
func explanation(s explain.Subject) []explain.Section {
	if s.Unsound != nil || len(s.Outcome.Events) == 0 {
		return explain.Edit(s)
	}
	return slices.Concat([]explain.Section{ladder(s)}, s.Repairs(), s.PlanChange(), s.Warnings())
}

// ladder lists the events, each with its reply.
func ladder(s explain.Subject) explain.Section {
	rungs := collect.Map(s.Profile.Ladder, func(r harness.Rung) string { return string(r) })
	section := explain.Section{Title: "Ladder: " + strings.Join(rungs, " → ")}
	next := 0 // the first reply without an event
	for i, e := range s.Outcome.Events {
		reply, again := -1, false
		switch e.Event {
		case harness.EventPatchApplied, harness.EventPatchRejected:
			reply, next = next, next+1
		case harness.EventFullPlanUsed, harness.EventFullPlanRejected:
			// Without an unread reply the ladder reads the last one again.
			if again = next >= len(s.Case.Replies); !again {
				next++
			}
			reply = next - 1
		}
		addEvent(s, &section, i+1, e, reply, again)
	}
	return section
}

func addEvent(s explain.Subject, section *explain.Section, number int, e harness.Event, reply int, again bool) {
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
	if reply >= 0 && reply < len(s.Case.Replies) {
		name := s.ReplyName(reply)
		if again {
			name += " again"
		}
		line += fmt.Sprintf("  [%s, %d bytes]", name, len(s.Case.Replies[reply]))
	}
	section.Add("", 0, eventTone(e), "%s", line)
	if e.Reason != "" {
		section.Add("", 1, style.Plain, "reason given: %s", explain.Text(e.Reason))
	}
	switch {
	case e.Code == "":
	case again:
		_, _, message := explain.Place(e.Message)
		section.Add("", 1, style.Plain, "%s", explain.Text(message))
	default:
		s.Blame(section, reply, e)
	}
}

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
