package corpora

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// claudeRules find the calls in the messages of the assistant, and the results in the
// messages of the user. The structured result belongs to the only result of its line.
func claudeRules() []rule {
	result := func(member string) rule {
		return rule{
			when: "type=user", where: "type=tool_result", each: "message.content", id: "tool_use_id",
			refused: "is_error=true", text: "content", structured: "^" + member,
			before: "^" + member + ".oldTodos", after: "^" + member + ".newTodos;;^" + member + ".tasks",
		}
	}
	files, stream := result("toolUseResult"), result("tool_use_result")
	files.when, stream.when = "toolUseResult!=", "toolUseResult="
	return []rule{
		{
			when: "type=assistant", each: "message.content", where: "type=tool_use", id: "id", name: "name", args: "input",
			model: "^message.model", finish: "^message.stop_reason",
		},
		files, stream,
	}
}

// readClaudeCode reads sessions of Claude Code: its files, or its stream-json output. Each
// line is an object. A subagent has a list of its own.
func readClaudeCode(name string, found func(draft) bool) error {
	return readLines(name, found, claudeRules(), func(doc jsontext.Value, a *answer) {
		if a != nil {
			a.thread = claudeThread(doc)
			a.resumable = strings.HasSuffix(a.thread, "/") // a subagent begins with an empty list
			a.empties = true
		}
	})
}

// claudeThread returns the session and subagent of a line.
func claudeThread(doc jsontext.Value) string {
	session := text(lookup(doc, "sessionId")) + text(lookup(doc, "session_id"))
	if parent := text(lookup(doc, "parent_tool_use_id")); parent != "" {
		return session + "/" + parent
	}
	if text(lookup(doc, "isSidechain")) == "true" {
		return session + "/" + text(lookup(doc, "agentId")) + "/sidechain"
	}
	return session + "/"
}
