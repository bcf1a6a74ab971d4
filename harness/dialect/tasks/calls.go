package tasks

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/tasks/rules"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
)

// emptyGraph is the graph of a new store.
const emptyGraph = `{"tasks":[]}`

// sessions says how sessions with task tools are read: each call changes the graph that the
// calls before it left, and the answer names the new tasks.
func sessions() *corpora.Calls {
	return &corpora.Calls{
		Start: jsontext.Value(emptyGraph), Fresh: "1", Spell: spellCalls, Follow: followCalls, List: listed,
	}
}

// spellCalls writes the calls that a use of a tool means.
func spellCalls(m *toolmap.Map, tool, arguments string) (reply string, ok bool) {
	if m == nil {
		return arguments, true
	}
	r, ok := m.Read(tool, []byte(arguments))
	if !ok {
		return arguments, true
	}
	if slices.ContainsFunc(r.Calls, toolmap.Call.Reads) {
		return "", false
	}
	var list []string
	for _, c := range r.Calls {
		list = append(list, string(c.JSON()))
	}
	return `{"calls":[` + strings.Join(list, ",") + `]}`, true
}

// stored are the rules of the stores, taken widely: whatever of a call can be understood
// counts, because the store said that it carried the call out.
func stored() harness.Profile {
	p, _ := harness.Named(harness.ProfileDocumented)
	return p.With(spec.Knobs(), "ids=given", "blank=allow", "unknown_dependency=drop", "cycles=allow",
		"create_status=allow", "extra_fields=drop", "reading.coerce=true")
}

// followCalls returns the graph after the calls, whose new tasks have these ids. It returns
// nil if nothing shows the id of a new task.
func followCalls(graph jsontext.Value, reply harness.Reply, created []string) jsontext.Value {
	named, ok := withIDs(string(reply), created)
	if !ok {
		return nil
	}
	out := rules.Eval(harness.Case{Dialect: "tasks", Plan: graph, Replies: []harness.Reply{harness.Reply(named)}}, stored())
	if out.Plan == nil {
		return graph
	}
	doc, err := json.Marshal(spec.GraphOf(out.Plan))
	if err != nil {
		return graph
	}
	return doc
}

// withIDs writes the ids of new tasks into the calls. ok is false if there are too few.
func withIDs(reply string, ids []string) (named string, ok bool) {
	var doc struct {
		Calls []map[string]any `json:"calls"`
	}
	if json.Unmarshal([]byte(reply), &doc) != nil {
		return reply, true // such a reply changes nothing
	}
	for _, c := range doc.Calls {
		news := []any{c}
		switch c["call"] {
		case "create":
		case "replace":
			news, _ = c["tasks"].([]any)
		default:
			continue
		}
		for _, task := range news {
			if members, isObject := task.(map[string]any); isObject {
				if len(ids) == 0 {
					return "", false
				}
				members["id"], ids = ids[0], ids[1:]
			}
		}
	}
	text, err := json.Marshal(doc, json.Deterministic(true))
	return string(text), err == nil
}

// listed returns the graph that a tool lists, as TaskList does. Descriptions and parents,
// which it does not list, come from the known graph.
func listed(items, known jsontext.Value) jsontext.Value {
	var list []struct {
		ID        string      `json:"id"`
		Subject   string      `json:"subject"`
		Status    plan.Status `json:"status"`
		BlockedBy []string    `json:"blockedBy"`
	}
	if json.Unmarshal(items, &list) != nil {
		return known
	}
	var old spec.Graph
	_ = json.Unmarshal(known, &old) // nil is an empty graph
	now := spec.Graph{Tasks: []spec.Task{}}
	for _, t := range list {
		task := spec.Task{ID: t.ID, Subject: t.Subject, Status: t.Status, BlockedBy: t.BlockedBy}
		if before := old.Find(t.ID); before != nil {
			task.Description, task.Parent = before.Description, before.Parent
			if t.BlockedBy == nil {
				task.BlockedBy = before.BlockedBy
			}
		}
		now.Tasks = append(now.Tasks, task)
	}
	doc, err := json.Marshal(now)
	if err != nil {
		return known
	}
	return doc
}
