package spec

import (
	"sync"

	"replanbench/harness"
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

// Vocabulary lists the words of outcomes.
func Vocabulary() harness.Vocabulary {
	like := todos.Vocabulary()
	codes := harness.Only(harness.Codes(), harness.NoDocument, harness.InvalidUTF8, harness.ReplyTooLarge,
		harness.TooDeep, harness.DuplicateKey, harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID,
		harness.BadLimit, harness.InvalidPlan, harness.DuplicateID, harness.UnknownStep, harness.DoneImmutable,
		harness.OverCapacity, harness.MissingDependency, harness.DependencyCycle, harness.EmptyPatch,
		harness.UnknownOperation, harness.DependentsExist, harness.RepliesExhausted)
	codes = append(codes, harness.Only(like.Codes, todos.TooManyInProgress, todos.DuplicateContent)...)
	warnings := harness.Only(like.Warnings, harness.WarnUnknownField, harness.WarnDuplicateKey,
		harness.WarnAmbiguousReply, todos.WarnReplyRefused, todos.WarnDropped, todos.WarnDemoted)
	return harness.Vocabulary{
		Codes: append(codes, harness.Term{Name: string(Blocked), Text: "a task starts or ends while it is blocked"}),
		Tiers: harness.Tiers(),
		Repairs: append(harness.Except(like.Repairs, "number_id", todos.RepairTextName, todos.RepairStatusWord),
			harness.Term{Name: RepairSingleCall, Text: "a single call became the list of calls"}),
		Warnings: append(warnings,
			harness.Term{Name: WarnEarly, Text: "a task started or ended while it was blocked"},
			harness.Term{Name: WarnCascaded, Text: "tasks were deleted with the one that they need"},
			harness.Term{Name: WarnUnchanged, Text: "a call changed nothing"}),
		Knobs: harness.ReadingKnobs(),
		Own:   Knobs(),
		Capabilities: []harness.Term{
			{Name: "delete", Text: "the call delete"},
			{Name: "many", Text: "a status for several tasks in one call"},
			{Name: "replace", Text: "the call replace"},
			{Name: "next", Text: "the call next"},
			{Name: "parent", Text: "parents of tasks"},
			{Name: "cancelled", Text: "the status cancelled"},
			{Name: "in_progress", Text: "the status in_progress"},
			{Name: "blockers", Text: "tasks that wait for other tasks"},
			{Name: "new_blockers", Text: "blocked_by of a new task"},
			{Name: "set_blockers", Text: "blocked_by of an update"},
			{Name: "add_blockers", Text: "add_blocked_by"},
			{Name: "remove_blockers", Text: "remove_blocked_by"},
			{Name: "blocks", Text: "blocks and add_blocks"},
			{Name: "new_status", Text: "the status of a new task"},
			{Name: "new_id", Text: "the id of a new task"},
			{Name: "extra", Text: "members that a call does not have"},
			{Name: "new_description", Text: "the description of a new task"},
			{Name: "subject", Text: "another subject for a task"},
			{Name: "description", Text: "another description for a task"},
			{Name: "padded", Text: "ids with white space around them"},
			{Name: "text", Text: "replies that are not strict JSON of known calls"},
			{Name: "restart", Text: "keeps its tasks when it is stopped"},
			{Name: "clients", Text: "several processes on the same tasks"},
			{Name: "file", Text: "keeps its tasks in files that the harness knows"},
			{Name: "max_plan_steps", Text: "enforces the limit of items"},
			{Name: "max_reply_bytes", Text: "enforces the limit of a reply's size"},
			{Name: "max_depth", Text: "the limit of the nesting depth of a reply"},
			{Name: "plan", Text: "rejects a case whose graph is invalid"},
		},
	}
}

// Document declares a reply.
func Document() document.Value {
	ids := func() document.Value { return document.List(document.ID()).Unordered() }
	status := document.Enum(Statuses()...)
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
	task := []string{"call", "subject", "description", "status", "parent", "blocked_by", "blocks"}
	switch {
	case call == "create" && s.IDs == Given:
		return append(task, "id")
	case call == "create":
		return task
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
		document.May("description", document.Text()), document.Needs("status", document.Enum(Statuses()...)),
		document.May("blocked_by", ids()), document.May("parent", document.ID()),
	))))
	l := document.LayoutOf(graph, Document())
	return &l
}
