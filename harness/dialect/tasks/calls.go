package tasks

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/tasks/rules"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/strictjson"
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
	return string(strictjson.Encode(map[string]any{"calls": r.Calls})), true
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
	return strictjson.Encode(spec.GraphOf(out.Plan))
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
	return strictjson.Encode(now)
}

// restate writes the calls that add the tasks of a graph to a store. They name the tasks by their ids,
// in the member id of the creations. Tasks that are in the store already do not matter if the rules
// compare none with them.
func restate(graph jsontext.Value, p harness.Profile) (reply string, anywhere bool) {
	g, err := spec.Decode(graph)
	if err != nil {
		return "", false
	}
	s := spec.SettingsOf(p)
	var creations, ends []toolmap.Call
	added := map[string]bool{}
	for n := -1; len(added) > n; { // a parent that waits for its own part is never added
		n = len(added)
		for i := range g.Tasks {
			t := &g.Tasks[i]
			waits := func(id string) bool { return id != "" && !added[id] }
			if added[t.ID] || waits(t.Parent) || slices.ContainsFunc(t.BlockedBy, waits) {
				continue
			}
			added[t.ID] = true
			creations = append(creations, creation(t))
			if t.Status != plan.Pending {
				ends = append(ends, toolmap.Call{"call": "update", "id": t.ID, "status": string(t.Status)})
			}
		}
	}
	calls := slices.Concat(creations, ends)
	reply = string(strictjson.Encode(map[string]any{"calls": calls}))
	c := harness.Case{Dialect: "tasks", Plan: jsontext.Value(emptyGraph), Replies: []harness.Reply{harness.Reply(reply)}}
	out := rules.Eval(c, p.With(spec.Knobs(), "ids=given"))
	if made := spec.GraphOf(out.Plan); made == nil || !made.Same(g) {
		return "", false
	}
	return reply, s.IDs != spec.Given && s.InProgress == spec.AnyNumber && s.SameSubject == spec.Allow
}

// creation is the call that creates a task, which then is pending.
func creation(t *spec.Task) toolmap.Call {
	c := toolmap.Call{"call": "create"}
	_ = json.Unmarshal(strictjson.Encode(t), &c) // an object
	delete(c, "status")
	return c
}
