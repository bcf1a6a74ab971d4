package spec

import (
	_ "embed"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document"
)

// Blocked is the code of a task that starts or ends too early.
const Blocked harness.Code = "blocked"

// WarnDropped is the warning about edges to tasks that do not exist. Its ids are those tasks.
const WarnDropped = todos.WarnDropped

// EdgeMembers returns the members of calls that add edges to other tasks.
func EdgeMembers() []string {
	return []string{"parent", "blocked_by", "add_blocked_by", "blocks", "add_blocks"}
}

// The warnings that only this dialect has.
const (
	WarnEarly     = "early"     // ids: the tasks that started or ended too early
	WarnCascaded  = "cascaded"  // ids: the tasks deleted with the one that they need
	WarnUnchanged = "unchanged" // ids: the tasks that the call named
)

// RepairSingleCall is the repair of a reply that is one call.
const RepairSingleCall = "single_call"

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words, todos.Vocabulary()) })

// Document declares a reply.
func Document() document.Value {
	ids := func() document.Value { return document.List(document.ID()).Unordered() }
	status := document.Enum(todos.Statuses()...)
	call := document.Object(
		document.Needs("call", document.Enum("create", "update", "delete", "replace", "next")),
		document.May("id", document.ID()), document.May("ids", ids()),
		document.May("subject", document.Prose()), document.May("description", document.Text()),
		document.May("status", status), document.May("parent", document.ID()),
		document.May("blocked_by", ids()), document.May("remove_blocked_by", ids()),
		document.May("add_blocked_by", ids()), document.May("blocks", ids()), document.May("add_blocks", ids()),
		document.May("mode", document.Enum("append", "open")),
		document.May("tasks", document.List(document.Object(
			document.May("key", document.ID()), document.May("id", document.ID()),
			document.Needs("subject", document.Prose()), document.May("description", document.Text()),
			document.May("status", status), document.May("parent", document.ID()),
			document.May("blocked_by", ids()), document.May("blocks", ids()),
		))),
	)
	doc := document.Object(document.Needs("calls", document.List(call).Counts())).As("Calls")
	doc.Bare = "calls"
	return doc.Says("One turn: calls that change the graph of tasks, carried out in order.")
}

// Members lists the members of a call. An update of several tasks has ids in place of an id.
func Members(call string, many bool, s *Settings) []string {
	switch {
	case call == "create":
		list := []string{"call", "subject", "description", "status", "parent", "blocked_by", "blocks", "id"}
		if s.IDs != Given {
			list = list[:len(list)-1]
		}
		return list
	case call == "update" && many:
		return []string{"call", "ids", "status"}
	case call == "update":
		return []string{
			"call", "id", "subject", "description", "status", "parent", "blocked_by", "remove_blocked_by", "add_blocked_by",
			"add_blocks",
		}
	case call == "delete":
		return []string{"call", "id"}
	case call == "replace":
		return []string{"call", "mode", "tasks"}
	}
	return []string{"call"}
}

// Strict declares a reply with creations and updates as decoding sees it: the members of each. It is
// shared and must not be changed.
func Strict(s *Settings) document.Value {
	return strict()[s.IDs == Given][s.ExtraFields == harness.Drop]
}

// strict has the declarations by whether ids are given, and unknown members dropped.
var strict = sync.OnceValue(func() map[bool]map[bool]document.Value {
	return map[bool]map[bool]document.Value{
		true:  {false: declared(&Settings{IDs: Given}), true: declared(&Settings{IDs: Given, ExtraFields: harness.Drop})},
		false: {false: declared(&Settings{}), true: declared(&Settings{ExtraFields: harness.Drop})},
	}
})

func declared(s *Settings) document.Value {
	doc := Document()
	doc.Drops = s.ExtraFields == harness.Drop
	list := doc.Member("calls")
	var forms []document.Value
	for _, name := range []string{"create", "update"} {
		form := document.Object()
		form.Drops = doc.Drops
		for _, member := range Members(name, false, s) {
			m := *list.Item.Member(member)
			m.Required = member == "call" || member == "id" || member == "subject" && name == "create"
			if m.Nullable = !m.Required; member == "call" {
				m.Value = document.Enum(name)
				m.Code = string(harness.UnknownOperation)
			}
			form.Members = append(form.Members, m)
		}
		forms = append(forms, form)
	}
	list.Item = new(document.OneOf(forms...))
	return doc
}

// Layout returns the paths of ids in graphs and replies.
func Layout() *document.Layout {
	ids := func() document.Value { return document.List(document.ID()).Unordered() }
	graph := document.Object(document.Needs("tasks", document.List(document.Object(
		document.Needs("id", document.ID()), document.Needs("subject", document.Text()),
		document.May("description", document.Text()), document.Needs("status", document.Enum(todos.Statuses()...)),
		document.May("blocked_by", ids()), document.May("parent", document.ID()),
	))))
	l := document.LayoutOf(graph, Document())
	return &l
}
