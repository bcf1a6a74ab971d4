package generate

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness/dialect/operations/spec"
)

// plainAct makes an operation of the plain edit, which applies.
func (u *updater) plainAct(e owner) act {
	switch e.kind {
	case "modify":
		return u.modify(e.ids[0])
	case "remove":
		return u.removed(e.ids[0])
	case "reorder":
		return u.moved(e.ids[0], u.index(e.ids[1]))
	}
	return u.add()
}

// do appends an operation to the reply.
func (u *updater) do(a act) { u.acts = append(u.acts, a) }

// mine is the k-th step that the trait under way has for itself.
func (u *updater) mine(k int) string { return u.own[k] }

// index is the place of a step in the plan as it is.
func (u *updater) index(id string) int {
	return slices.IndexFunc(u.p.steps, func(t task) bool { return t.id == id })
}

// step is a step of the plan as it is.
func (u *updater) step(id string) task { return u.p.steps[u.index(id)] }

// operation begins an operation.
func (u *updater) operation(kind string) generators.Value {
	return generators.Object(append(u.Fields(4), field("type", generators.Text(kind)),
		field("reason", generators.Text(u.phrase())))...)
}

func field(name string, v generators.Value) generators.Field {
	return generators.Field{Name: name, Value: v}
}

// onStep begins an operation on a step.
func (u *updater) onStep(kind, id string) generators.Value {
	v := u.operation(kind)
	v.Add("step_id", generators.Text(id))
	return v
}

// adding writes an operation that adds a step.
func (u *updater) adding(data ...generators.Field) generators.Value {
	v := u.operation("add")
	v.Add("step_data", generators.Object(data...))
	return v
}

// modifying writes an operation that modifies one.
func (u *updater) modifying(id string, data ...generators.Field) generators.Value {
	v := u.onStep("modify", id)
	v.Add("step_data", generators.Object(data...))
	return v
}

// moving writes an operation that moves one.
func (u *updater) moving(id string, position generators.Value) generators.Value {
	v := u.onStep("reorder", id)
	v.Add("position", position)
	return v
}

// named is the name of a step as a member.
func (u *updater) named() generators.Field { return field("name", generators.Text(u.phrase())) }

// newStep draws the data of a step to add, but for what it depends on, and its id: "" if the engine makes one up.
func (u *updater) newStep() (id string, data generators.Value) {
	id = u.newStepID()
	brings := u.OneIn(2) && !u.Lacks("given ids") || u.Lacks("generated ids")
	t := u.work(id)
	if data = generators.Object(u.Fields(8)...); brings {
		data.Add("id", generators.Text(id))
	} else {
		id = ""
	}
	data.Add("description", generators.Text(t.description))
	t.addExtra(&data)
	if len(t.tools) > 0 {
		data.Add("tools_expected", generators.Texts(t.tools))
	}
	return id, data
}

// add adds a step somewhere.
func (u *updater) add() act {
	id, data := u.newStep()
	data.Add("dependencies", generators.Texts(u.depended(u.Below(3), len(u.drawn))))
	v := u.operation("add")
	at := len(u.p.steps)
	if somewhere := u.Below(len(u.drawn) + 1); u.OneIn(2) && somewhere <= at && !u.Lacks("positions") {
		at = somewhere
		v.Add("position", number(at))
	}
	v.Add("step_data", data)
	return u.insert(v, id, at)
}

// depended draws up to n steps to depend on, of the first ones of the plan as it
// was drawn, so that there never is a cycle.
func (u *updater) depended(n, first int) (list []string) {
	for range n {
		if first == 0 || u.Lacks("dependencies") {
			break
		}
		if t := &u.drawn[u.Below(first)]; !t.role.isLeaf() && !slices.Contains(list, t.id) {
			list = append(list, t.id)
		}
	}
	return list
}

// insert carries an addition out.
func (u *updater) insert(v generators.Value, id string, at int) act {
	u.p.steps = slices.Insert(u.p.steps, at, task{id: id})
	return act{v, spec.Applied}
}

// modify changes one or two members of a step.
func (u *updater) modify(id string) act {
	t, data := u.step(id), generators.Object(u.Fields(4)...)
	if u.OneIn(2) {
		t.name = u.another(t.name)
		data.Add("name", generators.Text(t.name))
	} else {
		t.description = u.another(t.description)
		data.Add("description", generators.Text(t.description))
	}
	u.change(&t, &data)
	return u.modified(t, data)
}

// modified carries a modification out.
func (u *updater) modified(t task, data generators.Value) act {
	v := u.onStep("modify", t.id)
	v.Add("step_data", data)
	u.p.steps[u.index(t.id)] = t
	return act{v, spec.Applied}
}

// change changes another member of a step, perhaps.
func (u *updater) change(t *task, data *generators.Value) {
	switch kind := u.Below(8); {
	case kind == 0 && t.specialist != "":
		t.specialist = generators.Pick(&u.Choices, specialists[:])
		data.Add("assigned_specialist", generators.Text(t.specialist))
	case kind == 1 && t.priority != "":
		t.priority = strconv.Itoa(1 + u.Below(9))
		data.Add("priority", generators.Raw(t.priority))
	case kind < 4 && t.parameters != "":
		t.parameters = generators.Pick(&u.Choices, parameters[:])
		data.Add("parameters", generators.Raw(t.parameters))
	case kind == 4:
		rank := slices.IndexFunc(u.drawn, func(d task) bool { return d.id == t.id })
		t.dependencies = u.depended(2, rank)
		data.Add("dependencies", generators.Texts(t.dependencies))
	}
}

// removed carries a removal out.
func (u *updater) removed(id string) act {
	i := u.index(id)
	u.p.steps = slices.Delete(u.p.steps, i, i+1)
	return act{u.onStep("remove", id), spec.Applied}
}

// moved carries a move out: to is the index in the list that results.
func (u *updater) moved(id string, to int) act {
	t, from := u.step(id), u.index(id)
	u.p.steps = slices.Insert(slices.Delete(u.p.steps, from, from+1), to, t)
	return act{u.moving(id, number(to)), spec.Applied}
}

// stays makes the record of a move that changes nothing.
func (u *updater) stays(id string, position generators.Value) act {
	return act{u.moving(id, position), spec.Unchanged}
}

// metadata is what a reply says of the plan as a whole; nil is nothing.
type metadata struct {
	name, description *string
	reason            string
	extra             []generators.Field
	whole             *generators.Value // in place of the object
}

// drawMetadata draws why the plan changes, and sometimes what it is called now.
func (u *updater) drawMetadata() (m metadata) {
	m.reason = u.phrase()
	for _, p := range []**string{&m.name, &m.description} {
		if s := u.phrase(); u.OneIn(4) && !u.Lacks("metadata") {
			*p = new(s)
		}
	}
	return m
}

// changes reports whether the metadata gives the plan another name or description.
func (m *metadata) changes(p *record) bool {
	differs := func(given *string, old string) bool {
		return given != nil && strings.TrimSpace(*given) != "" && strings.TrimSpace(*given) != old && *given != old
	}
	return m != nil && m.whole == nil && (differs(m.name, p.name) || differs(m.description, p.description))
}

func (m *metadata) value() (v generators.Value, ok bool) {
	if m.whole != nil {
		return *m.whole, true
	}
	if m.name != nil {
		v.Add("name", generators.Text(*m.name))
	}
	if m.description != nil {
		v.Add("description", generators.Text(*m.description))
	}
	if m.reason != "" {
		v.Add("update_reason", generators.Text(m.reason))
	}
	v.Fields = append(v.Fields, m.extra...)
	return v, len(v.Fields) > 0
}
