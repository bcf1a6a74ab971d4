// Package sequence checks whether the messages of a history alternate, and whether
// tool calls and results form pairs, as endpoints require. Checks and simulations
// use it. It trims nothing.
package sequence

import (
	"slices"
	"strings"

	"replanbench/harness/history"
)

// Orphans returns the indices of tool results without a call before them, and
// of messages with a call that no result answers. A result answers the latest
// call of its id before it that has no result yet.
func Orphans(messages []history.Message) (results, calls []int) {
	open := map[string][]int{}
	for i, m := range messages {
		for _, c := range m.Calls {
			open[c.ID] = append(open[c.ID], i)
		}
		if m.Role != history.Tool {
			continue
		}
		if asked := open[m.CallID]; len(asked) > 0 {
			open[m.CallID] = asked[:len(asked)-1]
		} else {
			results = append(results, i)
		}
	}
	for _, left := range open {
		calls = append(calls, left...)
	}
	slices.Sort(calls)
	return results, slices.Compact(calls)
}

// Normalize brings the roles into the form that strict chat templates ask for:
// one leading system message, which holds all of them, and neighbours of the
// same role joined, user with user and assistant with assistant. Contents are
// joined by an empty line. It adds and removes nothing, so that a history with
// a gap keeps it: see [AlternationErrors].
func Normalize(messages []history.Message) []history.Message {
	var system, rest group
	for i := range messages {
		if m := &messages[i]; m.Role == history.System {
			system = append(system, m)
		} else {
			rest = append(rest, m)
		}
	}
	joined := make([]history.Message, 0, len(messages))
	if system != nil {
		joined = append(joined, system.join())
	}
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[:n].takes(rest[n]) {
			n++
		}
		joined, rest = append(joined, rest[:n].join()), rest[n:]
	}
	return joined
}

// group is messages that become one.
type group []*history.Message

// takes reports whether a message can join the group. What an assistant says
// after a tool call, before its result, cannot: that would hide the gap.
func (g group) takes(m *history.Message) bool {
	last := g[len(g)-1]
	return last.Role == m.Role && (m.Role == history.User || m.Role == history.Assistant && len(last.Calls) == 0)
}

func (g group) join() history.Message {
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
func AlternationErrors(messages []history.Message) []int {
	var bad []int
	last := history.System
	calls := false // the last assistant message has tool calls
	for i, m := range messages {
		ok := false
		switch m.Role {
		case history.System:
			ok = i == 0
		case history.User:
			ok = last == history.System || last == history.Assistant
		case history.Assistant:
			ok = last == history.User || last == history.Tool
		case history.Tool:
			ok = last == history.Tool || last == history.Assistant && calls
		}
		if !ok {
			bad = append(bad, i)
		}
		if m.Role != history.System {
			last, calls = m.Role, len(m.Calls) > 0
		}
	}
	return bad
}
