package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/agent/wire"
)

// summary is what the model answers to a request for a summary. It does not name the plan,
// as summaries of real models often do not.
const summary = "<state_snapshot><overall_goal>Fix the tests.</overall_goal><key_knowledge>Some commands were run; their " +
	"results were long.</key_knowledge></state_snapshot>"

// aside returns the text of an answer to a request without the plan tool: JSON in the form
// that the request demands, or a summary.
func aside(r *wire.Request) string {
	var form map[string]any
	if r.Form == nil || json.Unmarshal(r.Form, &form) != nil {
		return summary
	}
	text, err := json.Marshal(instance(form, 0), json.Deterministic(true))
	if err != nil {
		return summary
	}
	return string(text)
}

// instance returns a value of a JSON Schema: no, nothing, or the first of the words.
func instance(form map[string]any, depth int) any {
	const deepest = 8
	if words, _ := form["enum"].([]any); len(words) > 0 {
		return words[0]
	}
	kind, _ := form["type"].(string)
	switch strings.ToLower(kind) {
	case "string":
		return "nothing unusual"
	case "number", "integer":
		return 0
	case "boolean":
		return false
	case "array":
		return []any{}
	}
	value := map[string]any{}
	members, _ := form["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if member, ok := members[name].(map[string]any); ok && depth < deepest {
			value[name] = instance(member, depth+1)
		}
	}
	return value
}
