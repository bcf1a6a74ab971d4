package toolmap

import (
	"slices"
	"strings"
)

// StatusWord returns the status that a word usually means; "" is none.
func StatusWord(word string) string {
	for status, words := range map[string][]string{
		"pending":     {"pending", "todo", "open", "notstarted", "new", "backlog", "ready", "queued"},
		"in_progress": {"inprogress", "doing", "active", "started", "wip", "running", "working"},
		"completed":   {"completed", "done", "complete", "closed", "finished", "resolved"},
		"cancelled":   {"cancelled", "canceled", "failed", "abandoned", "dropped", "wontfix"},
	} {
		if slices.Contains(words, Plain(word)) {
			return status
		}
	}
	return ""
}

// Plain returns a name in lower case, without the characters between its words.
func Plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}
