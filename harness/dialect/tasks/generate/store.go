package generate

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Needs lists the capabilities that a case needs: those of its graph and of its calls.
func Needs(c harness.Case) []string {
	var list harness.Needs
	need := list.If
	graph := string(c.Plan)
	need(strings.Contains(graph, `"parent"`), "parent")
	need(strings.Contains(graph, `"cancelled"`), "cancelled")
	need(strings.Contains(graph, `"in_progress"`), "in_progress")
	need(strings.Contains(graph, `"blocked_by"`), blockers)
	for _, r := range c.Replies {
		calls, ok := spec.Calls(string(r), func(text string, maxDepth int) (*strictjson.Document, error) {
			return strictjson.Parse([]byte(text), maxDepth)
		})
		isNone := func(v strictjson.Value) bool { return v.Kind != strictjson.Object && v.Kind != strictjson.Null }
		if !ok || slices.ContainsFunc(calls, isNone) {
			need(true, "text")
			need(true, harness.NeedText) // whoever parses the arguments of tool calls writes the list of calls
			needWords(string(r), need)
			continue
		}
		for i := range calls {
			needCall(&calls[i], need)
		}
	}
	return list
}

// needWords adds what the calls of a reply seem to need that is not read here.
func needWords(reply string, need func(bool, string)) {
	for _, word := range []string{"delete", "replace", "next", "parent", "cancelled"} {
		need(strings.Contains(reply, `"`+word+`"`), word)
	}
	need(strings.Contains(reply, `"ids"`), "many")
	need(strings.Contains(reply, `"$`), dollars)
}

// dollars is the capability of calls that name a task that the case has created.
const dollars = "dollar_ids"

// extra reports whether a call has a member that it cannot have.
func extra(name string, call *strictjson.Value) bool {
	form := spec.Form(name, &spec.Settings{IDs: spec.Given})
	return slices.ContainsFunc(call.Members, func(m strictjson.Member) bool {
		return form.Member(m.Name) == nil && (m.Name != "ids" || name != spec.Update)
	})
}

// padded reports whether white space surrounds an id.
func padded(id string) bool {
	trimmed := strings.TrimSpace(id)
	return trimmed != id && trimmed != ""
}

// blockers is the capability of tasks that wait for others, which all calls that write edges need.
const blockers = "blockers"

// edge is a member of a call, or of all if call is empty, that writes edges between tasks.
type edge struct{ call, member, capability string }

func edges() []edge {
	return []edge{
		{"", "blocks", "blocks"},
		{"", "add_blocks", "blocks"},
		{"", "add_blocked_by", "add_blockers"},
		{"", "remove_blocked_by", "remove_blockers"},
		{"create", "blocked_by", "new_blockers"},
		{"update", "blocked_by", "set_blockers"},
	}
}

// needCall adds what a call needs.
func needCall(call *strictjson.Value, need func(bool, string)) {
	name, status := call.Get("call").Str(), call.Get("status").Str()
	has := func(member string) bool { return call.Get(member) != nil }
	spec.EachText("", call, func(member, text string) {
		isID := member != "subject" && member != "description"
		need(isID && padded(text), "padded")
		need(isID && plan.IsCreated(text), dollars)
	})
	members := map[string]bool{"delete": true, "replace": true, "next": true}
	need(members[name], name)
	need(!members[name] && name != "create" && name != "update", "text")
	need(has("ids"), "many")
	need(has("status") && name == "create", "new_status")
	need(has("id") && name == "create", "new_id")
	need(extra(name, call), "extra")
	need(has("parent"), "parent")
	need(status == "cancelled", "cancelled")
	need(status == "in_progress", "in_progress")
	for _, e := range edges() {
		if has(e.member) && (e.call == "" || e.call == name) {
			need(true, e.capability)
			need(true, blockers)
		}
	}
	need(has("description") && name == "create", "new_description")
	need(has("description") && name == "update", "description")
	need(has("subject") && name == "update", "subject")
	for _, t := range call.Get("tasks").List() {
		need(t.Get("parent") != nil, "parent")
	}
}
