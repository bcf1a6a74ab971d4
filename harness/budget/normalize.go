package budget

import "strings"

// pairing says which tool result answers which call.
type pairing struct {
	// answers holds for each message the index of the assistant message whose
	// call it answers, -1 for a message that answers none.
	answers []int
	// unanswered holds, for each message, the ids of its calls without result.
	unanswered [][]string
}

// pair matches tool results with calls: a result answers the latest call of
// its id before it that has no result yet.
func pair(messages []*Message) pairing {
	p := pairing{make([]int, len(messages)), make([][]string, len(messages))}
	open := map[string][]int{}
	for i, m := range messages {
		p.answers[i] = -1
		for _, c := range m.Calls {
			open[c.ID] = append(open[c.ID], i)
		}
		if m.Role != Tool {
			continue
		}
		if calls := open[m.CallID]; len(calls) > 0 {
			p.answers[i] = calls[len(calls)-1]
			open[m.CallID] = calls[:len(calls)-1]
		}
	}
	for i, m := range messages {
		for _, c := range m.Calls {
			if left := open[c.ID]; len(left) > 0 && left[0] == i {
				p.unanswered[i] = append(p.unanswered[i], c.ID)
				open[c.ID] = left[1:]
			}
		}
	}
	return p
}

// Orphans returns the indices of tool results without a call before them, and
// of messages with a call that no result answers.
func Orphans(messages []Message) (results, calls []int) {
	p := pair(pointers(messages))
	for i := range messages {
		if messages[i].Role == Tool && p.answers[i] < 0 {
			results = append(results, i)
		}
		if p.unanswered[i] != nil {
			calls = append(calls, i)
		}
	}
	return results, calls
}

func pointers(messages []Message) []*Message {
	list := make([]*Message, len(messages))
	for i := range messages {
		list[i] = &messages[i]
	}
	return list
}

// Normalize brings the roles into the form that strict chat templates ask for:
// one leading system message, which holds all of them, and neighbours of the
// same role joined, user with user and assistant with assistant. Contents are
// joined by an empty line. It adds and removes nothing, so that a history with
// a gap keeps it: see [AlternationErrors].
func Normalize(messages []Message) []Message {
	var system group
	var rest []group
	for i := range messages {
		m := &messages[i]
		switch n := len(rest); {
		case m.Role == System:
			system = append(system, m)
		case n > 0 && rest[n-1].takes(m):
			rest[n-1] = append(rest[n-1], m)
		default:
			rest = append(rest, group{m})
		}
	}
	if system != nil {
		rest = append([]group{system}, rest...)
	}
	joined := make([]Message, len(rest))
	for i, g := range rest {
		joined[i] = g.join()
	}
	return joined
}

// group is messages that become one.
type group []*Message

// takes reports whether a message can join the group. What an assistant says
// after a tool call, before its result, cannot: that would hide the gap.
func (g group) takes(m *Message) bool {
	last := g[len(g)-1]
	return last.Role == m.Role && (m.Role == User || m.Role == Assistant && len(last.Calls) == 0)
}

func (g group) join() Message {
	m := *g[0]
	if len(g) == 1 {
		return m
	}
	m.Calls = nil
	var contents []string
	for _, part := range g {
		if part.Content != "" {
			contents = append(contents, part.Content)
		}
		m.Calls = append(m.Calls, part.Calls...)
		if m.Tag == "" {
			m.Tag = part.Tag
		}
	}
	m.Content = strings.Join(contents, "\n\n")
	return m
}

// AlternationErrors returns the indices of messages that break the strict
// order of roles: one system message, at the head; then a user message; then
// in turn the assistant's side and the other, which is a user message or the
// results of the tool calls just made.
func AlternationErrors(messages []Message) []int {
	var bad []int
	last := System
	calls := false // the last assistant message has tool calls
	for i, m := range messages {
		ok := false
		switch m.Role {
		case System:
			ok = i == 0
		case User:
			ok = last == System || last == Assistant
		case Assistant:
			ok = last == User || last == Tool
		case Tool:
			ok = last == Tool || last == Assistant && calls
		}
		if !ok {
			bad = append(bad, i)
		}
		if m.Role != System {
			last, calls = m.Role, len(m.Calls) > 0
		}
	}
	return bad
}
