package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
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

// extra faults or drops the members that are none of these. In an update, id and ids may be
// null beside each other.
func (r *reader) extra(v *strictjson.Value, at path, names []string) {
	for i := range v.Members {
		m := &v.Members[i]
		null := m.Value.Kind == strictjson.Null && slices.Contains(names, "status") && !slices.Contains(names, "blocks") &&
			slices.Contains([]string{"id", "ids"}, m.Name)
		switch {
		case slices.Contains(names, m.Name) || null:
		case r.settings.ExtraFields == harness.Drop:
			r.unknown = append(r.unknown, m.Name)
		default:
			r.Fail(harness.ExtraField, at.Member(m.Name), "the call has no member %q (only %s)", m.Name,
				strings.Join(names, ", "))
		}
	}
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
	r.extra(v, at, spec.Members(c.name, v.Given("ids") != nil && v.Given("id") == nil, &r.settings))
	switch c.name {
	case create:
		c.tasks = []members{r.task(v, at, false)}
	case update:
		r.update(v, c)
	case deletes:
		c.id = r.id(v, at, "id", true)
	case replace:
		r.replace(v, c)
	}
	for _, t := range c.tasks {
		if t.status != "" && t.status != plan.Pending && r.settings.CreateStatus == harness.Reject {
			r.Fail(harness.BadType, t.at.Member("status"), "a new task is pending")
		}
	}
	return c
}

func (r *reader) update(v *strictjson.Value, c *call) {
	if v.Given("ids") != nil && v.Given("id") == nil {
		c.ids = r.ids(v, c.at, "ids")
		if len(c.ids) == 0 {
			r.Fail(harness.BadType, c.at.Member("ids"), "ids is empty")
		}
		c.status = r.status(v, c.at, true)
		return
	}
	c.id = r.id(v, c.at, "id", true)
	c.subject = r.subject(v, c.at, false)
	c.description = r.text(v, c.at, "description")
	c.status = r.status(v, c.at, false)
	if p := v.Get("parent"); p != nil && p.Kind == strictjson.Null {
		c.parent = new("")
	} else if p != nil {
		c.parent = new(r.id(v, c.at, "parent", false))
	}
	c.hasBlockers = v.Given("blocked_by") != nil
	c.blockedBy = r.ids(v, c.at, "blocked_by")
	c.remove = r.ids(v, c.at, "remove_blocked_by")
	c.add = r.ids(v, c.at, "add_blocked_by")
	c.blocks, c.blocksName = r.ids(v, c.at, "add_blocks"), "add_blocks"
}

func (r *reader) replace(v *strictjson.Value, c *call) {
	mode, ok := r.Text(v, c.at, "mode", false)
	if ok && mode != "append" && mode != "open" {
		r.Fail(harness.BadType, c.at.Member("mode"), "%q is not a mode", mode)
	}
	c.open = mode == "open"
	list := r.Member(v, c.at, "tasks", strictjson.Array, true)
	for i := 0; list != nil && i < len(list.Items); i++ {
		item, at := &list.Items[i], c.at.Member("tasks").Item(i)
		if !r.Is(item, strictjson.Object, at, "a task") {
			return
		}
		r.extra(item, at, append(spec.Members(create, false, &r.settings)[1:], "key"))
		c.tasks = append(c.tasks, r.task(item, at, true))
	}
}

func (r *reader) task(v *strictjson.Value, at path, keyed bool) (t members) {
	t.at = at
	if keyed {
		t.key = r.id(v, at, "key", false)
	}
	if r.settings.IDs == spec.Given {
		t.id = r.id(v, at, "id", true)
		if plan.IsCreated(t.id) {
			r.Fail(harness.BadType, at.Member("id"), "%s means a created task", t.id)
		}
	}
	t.subject = r.subject(v, at, true)
	t.description = r.text(v, at, "description")
	t.status = r.status(v, at, false)
	if v.Given("parent") != nil {
		t.parent = new(r.id(v, at, "parent", false))
	}
	t.blockedBy = r.ids(v, at, "blocked_by")
	t.hasBlockers = true
	t.blocks, t.blocksName = r.ids(v, at, "blocks"), "blocks"
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

func (r *reader) text(v *strictjson.Value, at path, name string) *string {
	if text, ok := r.Text(v, at, name, false); ok {
		return new(r.settings.Stored(text))
	}
	return nil
}

func (r *reader) subject(v *strictjson.Value, at path, required bool) *string {
	text, ok := r.Text(v, at, "subject", required)
	text = strings.TrimSpace(text)
	switch {
	case !ok:
		return nil
	case text == "" && r.settings.Blank != spec.Allow:
		r.Fail(harness.EmptyID, at.Member("subject"), "the subject is blank")
	}
	return new(r.settings.Stored(text))
}

func (r *reader) status(v *strictjson.Value, at path, required bool) plan.Status {
	text, ok := r.Text(v, at, "status", required)
	if ok && !slices.Contains(spec.Statuses(), text) {
		r.Fail(harness.BadType, at.Member("status"), "%q is not a status", text)
	}
	return plan.Status(text)
}
