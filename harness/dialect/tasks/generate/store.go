package generate

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
)

// stores are rows about engines that keep the tasks themselves.
func stores() []row {
	creations := func(n int) []string { return slices.Repeat([]string{`{"call":"create","subject":"@s"}`}, n) }
	completed := func(names ...string) (calls []string) {
		for _, name := range names {
			calls = append(calls, up(name, `"status":"completed"`))
		}
		return calls
	}
	store := func(name, fault, text, graph string, calls []string, lacks ...string) row {
		return row{
			name: name, family: "store", theme: fault, text: text, graph: graph, calls: calls, fault: fault, alone: true,
			lacks: append([]string{harness.FeatureStore}, lacks...),
		}
	}
	rawID := func(name, text, id string) row {
		r := edit(name, "store", "foreign id", text, "A:p", up(id, `"@any":"@s"`), "unknown_step /id").
			needing(harness.FeatureStore).single()
		r.fault = spec.FaultRawID
		return r
	}
	described := func(name, theme, text, description string) row {
		call := `{"call":"create","subject":"@s","description":"` + description + `"}`
		return edit(name, "store", theme, text, "A:p", call, "").needing(harness.FeatureStore, "new_description").single()
	}
	const graph = "A:p B:p C:c" // without edges, which some stores lack
	one := creations(1)
	return []row{
		store("parallel-creates", spec.FaultParallel, "ten tasks are created at once", "A:p", creations(10)),
		store("parallel-updates", spec.FaultParallel, "four tasks are completed at once", "A:p B:p C:p D:p",
			completed("@A", "@B", "@C", "@D")),
		store("two-clients", spec.FaultClients, "two processes create tasks at once", "A:p", creations(8), "clients"),
		store("restart", spec.FaultRestart, "the store is stopped and started after the calls", graph,
			append(creations(2), completed("@A")...), "restart"),
		store("terminated", spec.FaultTerminate, "the store gets SIGTERM during a call", graph, one, "restart"),
		store("killed", spec.FaultKill, "the store gets SIGKILL during a call", graph, one, "restart"),
		store("killed-deleting", spec.FaultKill, "the store gets SIGKILL while it deletes a task", "A:p B:p C:c",
			[]string{`{"call":"delete","id":"@A"}`}, "restart", "delete"),
		store("cancelled-request", spec.FaultCancel, "a call is cancelled while it is carried out", graph, one),
		store("request-id-twice", spec.FaultTwin, "two calls have the same request id", graph, creations(2)),
		store("unknown-tool", spec.FaultTool, "a tool is called that does not exist", graph, one),
		store("half-surrogate", spec.FaultSurrogate, "a subject contains half a surrogate pair", graph, one),
		store("store-read-only", spec.FaultReadOnly, "the file of the store cannot be written", graph, one, "file", "restart"),
		store("store-empty", spec.FaultEmpty, "the file of the store is empty", graph, one, "file", "restart"),
		store("store-truncated", spec.FaultTruncated, "the file of the store lacks its second half", graph, one, "file", "restart"),
		store("store-earlier", spec.FaultEarlier, "the file of the store is one of an earlier version", graph, one, "file", "restart"),
		rawID("foreign-id", "an id has a form that the store does not have", "no such task"),
		rawID("path-id", "an id is like a path", "../../x"),
		rawID("proto-id", "an id is __proto__", "__proto__"),
		described("large-text", "size", "a description has a million characters", "@long"),
		described("control-characters", "control characters", "a description contains control characters",
			`bell \u0007 escape \u001b null \u0000 end`),
	}
}

// Needs lists the capabilities that a case needs: those of its graph and of its calls.
func Needs(c harness.Case) []string {
	var list harness.Needs
	need := list.If
	graph := string(c.Plan)
	need(strings.Contains(graph, `"parent"`), "parent")
	need(strings.Contains(graph, `"cancelled"`), "cancelled")
	need(strings.Contains(graph, `"in_progress"`), "in_progress")
	need(strings.Contains(graph, `"blocked_by"`), "blockers")
	for _, r := range c.Replies {
		var doc struct {
			Calls []map[string]any `json:"calls"`
		}
		if json.Unmarshal([]byte(r), &doc, json.RejectUnknownMembers(true)) != nil || doc.Calls == nil {
			need(true, "text")
			need(true, harness.NeedText) // whoever parses the arguments of tool calls writes the list of calls
			needWords(string(r), need)
			continue
		}
		for _, call := range doc.Calls {
			needCall(call, need)
		}
	}
	return list
}

// needWords adds what the calls of a reply seem to need that is not read here.
func needWords(reply string, need func(bool, string)) {
	for _, word := range []struct{ name, text string }{
		{"delete", `"delete"`},
		{"many", `"ids"`},
		{"replace", `"replace"`},
		{"next", `"next"`},
		{"parent", `"parent"`},
		{"cancelled", `"cancelled"`},
	} {
		need(strings.Contains(reply, word.text), word.name)
	}
}

// extra reports whether a call has a member that it cannot have.
func extra(name string, call map[string]any) bool {
	known := append(spec.Members(name, false, &spec.Settings{IDs: spec.Given}), "ids")
	for member := range call {
		if !slices.Contains(known, member) || member == "ids" && name != "update" {
			return true
		}
	}
	return false
}

// padded reports whether white space surrounds an id in the value of a member.
func padded(member string, value any) bool {
	switch v := value.(type) {
	case string:
		trimmed := strings.TrimSpace(v)
		return member != "subject" && member != "description" && trimmed != v && trimmed != ""
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return padded(member, item) })
	case map[string]any:
		for name, inner := range v {
			if padded(name, inner) {
				return true
			}
		}
	}
	return false
}

// needCall adds what a call needs.
func needCall(call map[string]any, need func(bool, string)) {
	name, _ := call["call"].(string)
	has := func(member string) bool { _, ok := call[member]; return ok }
	tasks, _ := call["tasks"].([]any)
	need(padded("", call), "padded")
	members := map[string]bool{"delete": true, "replace": true, "next": true}
	need(members[name], name)
	need(!members[name] && name != "create" && name != "update", "text")
	need(has("ids"), "many")
	need(has("status") && name == "create", "new_status")
	need(has("id") && name == "create", "new_id")
	need(extra(name, call), "extra")
	need(has("parent"), "parent")
	need(call["status"] == "cancelled", "cancelled")
	need(call["status"] == "in_progress", "in_progress")
	need(has("blocks") || has("add_blocks"), "blocks")
	need(has("add_blocked_by"), "add_blockers")
	need(has("remove_blocked_by"), "remove_blockers")
	need(has("blocked_by") && name == "create", "new_blockers")
	need(has("blocked_by") && name == "update", "set_blockers")
	need(has("description") && name == "create", "new_description")
	need(has("description") && name == "update", "description")
	need(has("subject") && name == "update", "subject")
	for _, t := range tasks {
		object, _ := t.(map[string]any)
		_, parent := object["parent"]
		need(parent, "parent")
	}
}
