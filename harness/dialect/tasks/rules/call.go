package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

type path = strictjson.Path

// The calls.
const (
	create  = "create"
	update  = "update"
	deletes = "delete"
	replace = "replace"
	next    = "next"
)

// members are the members of a call, or of a task of a replace. An absent text is nil, and an
// absent list is nil.
type members struct {
	at                     path
	key, id                string
	subject, description   *string
	status                 plan.Status // "" if absent
	parent                 *string     // "" removes the parent
	blockedBy, remove, add []string
	hasBlockers            bool // blocked_by is present
	blocks                 []string
	blocksName             string // blocks or add_blocks
}

// call is a decoded call.
type call struct {
	members
	name  string
	ids   []string
	open  bool // mode of a replace
	tasks []members
}

// reader reads a call and keeps the first fault, which is of rule 1.
type reader struct {
	strictjson.Reader
	settings spec.Settings
	unknown  []string
}

// known returns an object with only the members of these names. Others are faulted or dropped.
func (r *reader) known(v *strictjson.Value, at path, names []string) *strictjson.Value {
	other := func(m strictjson.Member) bool { return !slices.Contains(names, m.Name) }
	if r.settings.ExtraFields != harness.Drop || !slices.ContainsFunc(v.Members, other) {
		r.Known(v, at, "the call", names...)
		return v
	}
	only := *v
	only.Members = nil
	for _, m := range v.Members {
		if other(m) {
			r.unknown = append(r.unknown, m.Name)
		} else {
			only.Members = append(only.Members, m)
		}
	}
	return &only
}

func (r *reader) call(v *strictjson.Value, at path) *call {
	c := &call{members: members{at: at}}
	if !r.Is(v, strictjson.Object, at, "a call") {
		return c
	}
	c.name, _ = r.Text(v, at, "call", true)
	if !slices.Contains([]string{create, update, deletes, replace, next}, c.name) {
		r.Fail(harness.UnknownOperation, at.Member("call"), "there is no call %q", c.name)
		return c
	}
	many := c.name == update && v.Given("ids") != nil && v.Given("id") == nil
	names := spec.Members(c.name, many, &r.settings)
	if other := map[bool]string{true: "id", false: "ids"}[many]; c.name == update && v.Given(other) == nil {
		names = append(names, other) // null is no second form of naming tasks
	}
	v = r.known(v, at, names)
	switch {
	case c.name == create:
		c.tasks = []members{r.task(v, at, true)}
	case c.name == replace:
		r.replace(v, c)
	case many:
		if c.ids = r.ids(v, at, "ids"); len(c.ids) == 0 {
			r.Fail(harness.BadType, at.Member("ids"), "ids is empty")
		}
		c.status = r.status(v, at, true)
	case c.name != next:
		c.members = r.task(v, at, false)
	}
	for _, t := range c.tasks {
		if t.status != "" && t.status != plan.Pending && r.settings.CreateStatus == harness.Reject {
			r.Fail(harness.BadType, t.at.Member("status"), "a new task is pending")
		}
	}
	return c
}

func (r *reader) replace(v *strictjson.Value, c *call) {
	mode, ok := r.Text(v, c.at, "mode", false)
	if ok && mode != "append" && mode != "open" {
		r.Fail(harness.BadType, c.at.Member("mode"), "%q is not a mode", mode)
	}
	c.open = mode == "open"
	names := append(spec.Members(create, false, &r.settings)[1:], "key")
	list := r.Member(v, c.at, "tasks", strictjson.Array, true)
	for i := 0; list != nil && i < len(list.Items); i++ {
		item, at := &list.Items[i], c.at.Member("tasks").Item(i)
		if !r.Is(item, strictjson.Object, at, "a task") {
			return
		}
		c.tasks = append(c.tasks, r.task(r.known(item, at, names), at, true))
	}
}

// task reads the members of a new task, or of a call about one. What a call does not have is absent.
func (r *reader) task(v *strictjson.Value, at path, isNew bool) (t members) {
	t.at, t.blocksName = at, "blocks"
	t.key = r.id(v, at, "key", false)
	if !isNew || r.settings.IDs == spec.Given {
		t.id = r.id(v, at, "id", true)
	}
	if isNew && plan.IsCreated(t.id) {
		r.Fail(harness.BadType, at.Member("id"), "%s means a created task", t.id)
	}
	t.subject = r.text(v, at, "subject", isNew)
	t.description = r.text(v, at, "description", false)
	t.status = r.status(v, at, false)
	if p := v.Get("parent"); p != nil && p.Kind == strictjson.Null {
		t.parent = new("")
	} else if p != nil {
		t.parent = new(r.id(v, at, "parent", false))
	}
	t.hasBlockers = v.Given("blocked_by") != nil
	t.blockedBy = r.ids(v, at, "blocked_by")
	t.remove = r.ids(v, at, "remove_blocked_by")
	t.add = r.ids(v, at, "add_blocked_by")
	if !isNew {
		t.blocksName = "add_blocks"
	}
	t.blocks = r.ids(v, at, t.blocksName)
	return t
}

func (r *reader) id(v *strictjson.Value, at path, name string, required bool) string {
	id, ok := r.Text(v, at, name, required)
	id = strings.TrimSpace(id)
	if ok && id == "" {
		r.Fail(harness.EmptyID, at.Member(name), "the %s is blank", name)
	}
	return id
}

func (r *reader) ids(v *strictjson.Value, at path, name string) []string {
	list := r.IDs(v, at, name)
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// text reads a subject or a description as the store keeps it; nil if it is absent. Subjects are trimmed.
func (r *reader) text(v *strictjson.Value, at path, name string, required bool) *string {
	text, ok := r.Text(v, at, name, required)
	if name == "subject" {
		text = strings.TrimSpace(text)
	}
	switch {
	case !ok:
		return nil
	case text == "" && name == "subject" && r.settings.Blank != spec.Allow:
		r.Fail(harness.EmptyID, at.Member(name), "the subject is blank")
	}
	return new(r.settings.Stored(text))
}

func (r *reader) status(v *strictjson.Value, at path, required bool) plan.Status {
	text, ok := r.Text(v, at, "status", required)
	if ok && !todos.IsStatus(plan.Status(text)) {
		r.Fail(harness.BadType, at.Member("status"), "%q is not a status", text)
	}
	return plan.Status(text)
}
