package rules

import (
	"slices"
	"strings"

	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

type path = strictjson.Path

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

// reader reads calls and keeps the names of the members that it drops.
type reader struct {
	settings spec.Settings
	unknown  []string
}

// known returns an object without the members that its declaration drops, or its first fault.
func (r *reader) known(d *document.Value, v *strictjson.Value) (*strictjson.Value, *strictjson.Fault) {
	f := reply.Fault(d, v)
	if f != nil || !d.Drops {
		return v, f
	}
	only := *v
	only.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m strictjson.Member) bool {
		isUnknown := d.Member(m.Name) == nil
		if isUnknown {
			r.unknown = append(r.unknown, m.Name)
		}
		return isUnknown
	})
	return &only, nil
}

// call reads a call. Its first fault is of rule 1.
func (r *reader) call(v *strictjson.Value, at path) (*call, *strictjson.Fault) {
	if f := reply.Fault(spec.Form("", &r.settings), v); f != nil {
		return nil, f
	}
	c := &call{name: v.Get("call").Text, members: members{at: at}}
	form := c.name
	switch isUpdate := c.name == spec.Update; { // null is no second form of naming tasks
	case isUpdate && v.Given("ids") == nil:
		v = without(v, "ids")
	case isUpdate && v.Given("id") == nil:
		form, v = spec.Many, without(v, "id")
	}
	declared := spec.Form(form, &r.settings)
	v, fault := r.known(declared, v)
	if fault != nil {
		return nil, fault
	}
	switch c.name {
	case spec.Create:
		c.tasks = []members{r.task(v, at)}
	case spec.Replace:
		c.open = v.Get("mode").Str() == "open"
		list := v.Get("tasks").Items
		for i := range list {
			item, _ := r.known(declared.Member("tasks").Item, &list[i]) // the call has no fault
			c.tasks = append(c.tasks, r.task(item, at.Member("tasks").Item(i)))
		}
	default:
		c.members, c.ids = r.task(v, at), ids(v, "ids")
	}
	return c, nil
}

// without returns an object without a member.
func without(v *strictjson.Value, name string) *strictjson.Value {
	if v.Get(name) == nil {
		return v
	}
	only := *v
	only.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m strictjson.Member) bool { return m.Name == name })
	return &only
}

// task reads the members of a new task, or of a call about one. What a call does not have is absent.
func (r *reader) task(v *strictjson.Value, at path) members {
	t := members{
		at: at, key: id(v, "key"), id: id(v, "id"), subject: r.text(v, "subject"), description: r.text(v, "description"),
		status: plan.Status(v.Get("status").Str()), blockedBy: ids(v, "blocked_by"), remove: ids(v, "remove_blocked_by"),
		add: ids(v, "add_blocked_by"), hasBlockers: v.Given("blocked_by") != nil, blocksName: "blocks",
	}
	if v.Get("parent") != nil {
		t.parent = new(id(v, "parent"))
	}
	if v.Get("add_blocks") != nil {
		t.blocksName = "add_blocks"
	}
	t.blocks = ids(v, t.blocksName)
	return t
}

func id(v *strictjson.Value, name string) string { return strings.TrimSpace(v.Get(name).Str()) }

func ids(v *strictjson.Value, name string) []string {
	return collect.Map(v.Given(name).List(), func(id strictjson.Value) string { return strings.TrimSpace(id.Text) })
}

// text reads a subject or a description as the store keeps it; nil if it is absent. Subjects are trimmed.
func (r *reader) text(v *strictjson.Value, name string) *string {
	text := v.Given(name)
	switch {
	case text == nil:
		return nil
	case name == "subject":
		return new(r.settings.Stored(strings.TrimSpace(text.Text)))
	}
	return new(r.settings.Stored(text.Text))
}
