// Package spec holds what rules, samples and checks of the dialect share: where
// things stand in its documents. It decides nothing.
package spec

import "replanbench/harness/document"

// Layout returns the places of ids in a history.
func Layout() *document.Layout {
	return &document.Layout{
		IDs:   []string{"tool_calls/id", "tool_call_id"},
		Words: []string{"role", "content", "tool_calls", "tool_call_id", "tag", "system", "user", "assistant", "tool"},
	}
}
