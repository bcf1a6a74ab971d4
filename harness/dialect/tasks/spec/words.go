package spec

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
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

// The calls.
const (
	Create  = "create"
	Update  = "update"
	Delete  = "delete"
	Replace = "replace"
	Next    = "next"
)

// Document declares a reply.
func Document() document.Value {
	ids := func() document.Value { return document.List(document.ID()).Unordered() }
	status := document.Enum(todos.Statuses()...)
	name := document.Enum(Create, Update, Delete, Replace, Next)
	name.Code = string(harness.UnknownOperation)
	call := document.Object(
		document.Needs("call", name),
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

// Forms that are no names of calls.
const (
	Many    = "update many" // an update that has ids in place of an id
	newTask = "task"        // of a replace
)

// members lists the members of each form. Those with "?" are optional.
func members() map[string]string {
	return map[string]string{
		"":      "call",
		Next:    "call",
		Delete:  "call id",
		Many:    "call ids status",
		Create:  "call id subject description? status? parent? blocked_by? blocks?",
		Update:  "call id subject? description? status? parent? blocked_by? remove_blocked_by? add_blocked_by? add_blocks?",
		Replace: "call mode? tasks",
		newTask: "key? id subject description? status? parent? blocked_by? blocks?",
	}
}

// form is a call under the knobs that its members depend on. Without a name it is any call.
type form struct {
	call                string
	given, drops, blank bool
}

// declare declares an object with the members of the call out of all members.
func (f form) declare(all *document.Value) *document.Value {
	v := &document.Value{Kind: document.ObjectKind, Drops: f.drops, Open: f.call == "", Called: "the call"}
	names := strings.Fields(members()[f.call])
	isNew := f.call == Create || f.call == newTask
	for _, m := range all.Members {
		m.Required = slices.Contains(names, m.Name)
		m.Nullable = !m.Required
		switch {
		case !m.Required && !slices.Contains(names, m.Name+"?") || isNew && m.Name == "id" && !f.given:
			continue
		case m.Name == "call" && f.call != "":
			m.Values = []string{strings.Fields(f.call)[0]}
		case m.Name == "id" && isNew:
			m.Except = plan.IsCreated
		case m.Name == "ids":
			m.Filled = true
		case m.Name == "subject" && f.blank:
			m.Kind = document.TextKind
		case m.Name == "tasks":
			task := f
			task.call = newTask
			m.Item = task.declare(m.Item)
		}
		v.Members = append(v.Members, m)
	}
	return v
}

var forms = sync.OnceValue(func() map[form]*document.Value {
	list := map[form]*document.Value{}
	doc := Document()
	for name := range members() {
		for i := range 8 {
			f := form{name, i&1 > 0, i&2 > 0, i&4 > 0}
			list[f] = f.declare(doc.Member("calls").Item)
		}
	}
	return list
})

// Form declares the calls of a name, or [Many], as decoding sees them, and for another name any call. It is shared and
// must not be changed.
func Form(call string, s *Settings) *document.Value {
	f := form{call, s.IDs == Given, s.ExtraFields == harness.Drop, s.Blank == Allow}
	return cmp.Or(forms()[f], forms()[form{}])
}

// Strict declares a reply with creations and updates as decoding sees it, but with no blank subjects. It is shared and
// must not be changed.
func Strict(s *Settings) document.Value {
	return stricts()[form{given: s.IDs == Given, drops: s.ExtraFields == harness.Drop}]
}

var stricts = sync.OnceValue(func() map[form]document.Value {
	list := map[form]document.Value{}
	for i := range 4 {
		f := form{given: i&1 > 0, drops: i&2 > 0}
		create, update := f, f
		create.call, update.call = Create, Update
		one, other := *forms()[create], *forms()[update]
		if f.given { // generated cases have the id at the end
			one.Members = append(slices.Delete(slices.Clone(one.Members), 1, 2), one.Members[1])
		}
		doc := Document()
		doc.Drops = f.drops
		doc.Member("calls").Item = new(document.OneOf(one, other))
		list[f] = doc
	}
	return list
})

// Calls returns the calls of a reply; false if it is not strict JSON of a list of calls. parse takes text and depth.
func Calls(reply string, parse func(string, int) (*strictjson.Document, error)) ([]strictjson.Value, bool) {
	const maxDepth = 10_000
	if !utf8.ValidString(reply) {
		return nil, false
	}
	doc, err := parse(reply, maxDepth)
	if err != nil || doc.Duplicates != nil || doc.Surrogates != nil || len(doc.Root.Members) != 1 {
		return nil, false
	}
	calls := doc.Root.Get("calls")
	return calls.List(), calls != nil && calls.Kind == strictjson.Array
}

// EachText calls f for every text of a value, which may be nil, with the name of its member.
func EachText(name string, v *strictjson.Value, f func(name, text string)) {
	if v == nil {
		return
	}
	if v.Kind == strictjson.String {
		f(name, v.Text)
	}
	for i := range v.Items {
		EachText(name, &v.Items[i], f)
	}
	for i := range v.Members {
		EachText(v.Members[i].Name, &v.Members[i].Value, f)
	}
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
