package todos

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// empty is the list before the first call of a session.
const empty = `{"items":[]}`

func tools() []string {
	return []string{
		"TodoWrite", "todowrite", "todo_write", "write_todos", "update_plan", "update_todo_list", "SetTodoList",
		"task_progress", "task_tracker",
	}
}

// calls says how the tools of today are called: each call is a rewrite of what the
// calls before it left, and these tools overwrite.
func calls() *corpora.Calls {
	return &corpora.Calls{
		Tools: tools,
		Start: jsontext.Value(empty), Whole: true, Finished: finished,
		Follow: func(list jsontext.Value, reply harness.Reply, _ []string) jsontext.Value { return follow(list, reply) },
		List:   func(items, _ jsontext.Value) jsontext.Value { return recordedList(items) },
		Spell:  func(_, arguments string) (string, bool) { return spell(arguments) },
	}
}

// overwriting are the rules of those tools, taken widely: whatever of a call can be
// understood counts.
func overwriting(settings ...string) harness.Profile {
	p, _ := harness.Named(harness.ProfileDocumented)
	return p.With(spec.Knobs(), append([]string{
		"duplicates=last", "text_name=any", "status_words=any", "extra_fields=drop", "reading.coerce=true",
	}, settings...)...)
}

// follow is the list that a call leaves: the old one, if the call cannot be read.
func follow(list jsontext.Value, reply harness.Reply) jsontext.Value {
	out := rules.Eval(harness.Case{Dialect: "todos", Plan: list, Replies: []harness.Reply{reply}}, overwriting())
	if out.Plan == nil {
		return list
	}
	doc, err := json.Marshal(out.Plan)
	if err != nil {
		return list
	}
	return doc
}

// recordedList returns the list with the items that a session recorded.
func recordedList(items jsontext.Value) jsontext.Value {
	reply, _ := spell(`{"todos":` + string(items) + `}`)
	return follow(jsontext.Value(empty), harness.Reply(reply))
}

// finished reports whether all items of a list are completed.
func finished(list jsontext.Value) bool {
	var doc struct {
		Items []struct {
			Status plan.Status `json:"status"`
		} `json:"items"`
	}
	if err := json.Unmarshal(list, &doc); err != nil || len(doc.Items) == 0 {
		return false
	}
	for _, item := range doc.Items {
		if item.Status != "completed" {
			return false
		}
	}
	return true
}

// spell writes the arguments of a call in the format todos, where they are in
// another: steps of a plan, boxes, or contents by another name. What cannot be read
// stays as it is. ok is false for a call that only shows the list.
func spell(arguments string) (reply string, ok bool) {
	doc, err := strictjson.Parse([]byte(arguments), harness.DefaultMaxDepth)
	if err != nil || doc.Root.Kind != strictjson.Object {
		return arguments, true
	}
	format, list := spec.Todos, doc.Root.Get("todos")
	switch command := doc.Root.Get("command"); {
	case command != nil && command.Text == "view":
		return arguments, false
	case list == nil && doc.Root.Get("task_list") != nil:
		return spell(renamed(arguments))
	case doc.Root.Get("plan") != nil && list == nil:
		format = spec.PlanForm
	case list == nil || list.Kind == strictjson.String:
		format = spec.Markdown
	case list.Kind != strictjson.Array || len(list.Items) == 0 || list.Items[0].Get("content") != nil:
		return arguments, true
	}
	out := rules.Eval(harness.Case{
		Dialect: "todos", Plan: jsontext.Value(empty),
		Replies: []harness.Reply{harness.Reply(arguments)},
	},
		overwriting("format="+format, "duplicates=keep"))
	if out.Plan == nil {
		return arguments, true
	}
	text, err := json.Marshal(struct {
		Todos []spelled `json:"todos"`
	}{spelledAs(out.Plan)})
	if err != nil {
		return arguments, true
	}
	return string(text), true
}

// renamed calls the list of OpenHands by its usual name, and drops the command.
func renamed(arguments string) string {
	var args struct {
		List jsontext.Value `json:"task_list"`
	}
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		return arguments
	}
	return `{"todos":` + string(args.List) + `}`
}

// spelled is an item in the format todos.
type spelled struct {
	ID         string      `json:"id,omitzero"`
	Content    string      `json:"content"`
	Status     plan.Status `json:"status"`
	Priority   string      `json:"priority,omitzero"`
	ActiveForm string      `json:"activeForm,omitzero"`
}

func spelledAs(p *plan.Plan) []spelled {
	list := []spelled{}
	for _, item := range spec.Items(p) {
		list = append(list, spelled(item))
	}
	return list
}
