package todos

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
)

// empty is the list before the first call of a session.
const empty = `{"items":[]}`

// calls says how the tools of today are called: each call is a rewrite of what the
// calls before it left, and these tools overwrite.
func calls() *corpora.Calls {
	return &corpora.Calls{
		Start: jsontext.Value(empty), Whole: true, Finished: finished,
		Follow: func(list jsontext.Value, reply harness.Reply, _ []string) jsontext.Value {
			return follow(list, string(reply))
		},
		List: func(items, _ jsontext.Value) jsontext.Value {
			return follow(jsontext.Value(empty), inTodos(`{"todos":`+string(items)+`}`, false))
		},
		Spell: spell,
	}
}

// overwrite returns the list after a rewrite, nil if the rewrite cannot be read. Its rules are lenient: it uses
// whatever it understands of a call.
func overwrite(list jsontext.Value, rewrite string, settings ...string) *plan.Plan {
	p, _ := harness.Named(harness.ProfileDocumented)
	p = p.With(spec.Knobs(), "duplicates=last", "text_name=any", "status_words=any", "extra_fields=drop",
		"reading.coerce=true").With(spec.Knobs(), settings...)
	c := harness.Case{Dialect: "todos", Plan: list, Replies: []harness.Reply{harness.Reply(rewrite)}}
	return rules.Eval(c, p).Plan
}

// follow is the list that a call leaves: the old one, if the call cannot be read.
func follow(list jsontext.Value, reply string) jsontext.Value {
	if p := overwrite(list, reply); p != nil {
		return p.Encode()
	}
	return list
}

// finished reports whether all items of a list are completed.
func finished(list jsontext.Value) bool {
	var doc struct {
		Items []spec.Item `json:"items"`
	}
	isLeft := func(item spec.Item) bool { return item.Status != plan.Completed }
	return json.Unmarshal(list, &doc) == nil && len(doc.Items) > 0 && !slices.ContainsFunc(doc.Items, isLeft)
}

// spell writes a use of a tool in the format todos. ok is false for a use that only shows the list.
func spell(m *toolmap.Map, tool, arguments string) (reply string, ok bool) {
	reply, ok = arguments, true
	if m != nil {
		reply, ok = m.Reply(tool, arguments)
	}
	if !ok {
		return arguments, false
	}
	return inTodos(reply, reply != arguments), true
}

// inTodos writes a reply in the format todos, where it is in another: steps of a plan, boxes (which are JSON
// unless a tool has them as a text), or contents by another name. What cannot be read stays as it is.
func inTodos(reply string, boxed bool) string {
	doc, err := strictjson.Parse([]byte(reply), harness.DefaultMaxDepth)
	if (err != nil || doc.Root.Kind != strictjson.Object) && !boxed {
		return reply
	}
	format, list := spec.Markdown, (*strictjson.Value)(nil)
	if err == nil {
		list = doc.Root.Get("todos")
	}
	switch {
	case err != nil:
	case doc.Root.Get("plan") != nil && list == nil:
		format = spec.PlanForm
	case list == nil || list.Kind == strictjson.String:
	case list.Kind != strictjson.Array || len(list.Items) == 0 || list.Items[0].Get("content") != nil:
		return reply
	default:
		format = spec.Todos
	}
	after := overwrite(jsontext.Value(empty), reply, "format="+format, "duplicates=keep")
	if after == nil {
		return reply
	}
	text, err := json.Marshal(map[string]any{"todos": spec.Items(after)})
	if err != nil {
		return reply
	}
	return string(text)
}
