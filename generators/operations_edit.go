package generators

import (
	"slices"
	"strconv"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// drawAct draws an operation that applies. It returns false where the plan has
// no place for it.
func drawAct(u *updater) (act, bool) {
	switch u.below(8) {
	case 0, 1, 2:
		return u.add()
	case 3, 4, 5:
		return u.modify()
	case 6:
		return u.remove()
	default:
		return u.reorder()
	}
}

// operation begins an operation.
func (u *updater) operation(kind string) value {
	v := object(field{"type", text(kind)})
	if u.oneIn(3) {
		v.add("reason", text(pick(&u.choices, phrases)))
	}
	return v
}

// onStep begins an operation on a step.
func (u *updater) onStep(kind, id string) value {
	v := u.operation(kind)
	v.add(u.idName(), text(u.spelt(id)))
	return v
}

// idName is a name for the id of a step that the rules take.
func (u *updater) idName() string {
	if u.profile.StepIDNames == harness.Any {
		return pick(&u.choices, []string{"step_id", "stepID", "stepId", "id"})
	}
	return "step_id"
}

// spelt is how the reply writes an id: now and then with white space round it.
func (u *updater) spelt(id string) string {
	if u.oneIn(16) {
		return " " + trimmed(id) + "\t"
	}
	return id
}

func (u *updater) speltAll(ids []string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = u.spelt(id)
	}
	return list
}

// generated is the id that the next new step gets if it brings none.
func (u *updater) generated() string {
	for n := 1; ; n++ {
		if id := "step_" + strconv.Itoa(n); u.isFree(id) {
			return id
		}
	}
}

// newTask draws a step to add, and how the reply writes it.
func (u *updater) newTask() (t task, data value) {
	named := u.below(3) > 0
	id := ""
	if named {
		id = u.newStepID()
	}
	t = u.work(id)
	data = object()
	if named {
		data.add("id", text(u.spelt(id)))
	} else {
		t.id = u.generated()
	}
	if t.description != "" {
		data.add("description", text(t.description))
	}
	data.fields = append(data.fields, t.extra().fields...)
	if len(t.tools) > 0 {
		data.add("tools_expected", texts(t.tools))
	}
	return t, data
}

// add adds a step.
func (u *updater) add() (act, bool) {
	t, data := u.newTask()
	return u.addTask(t, data, u.depended(u.below(3)))
}

// depended draws up to n steps to depend on.
func (u *updater) depended(n int) (list []string) {
	for range n {
		if id := u.p.steps[u.below(len(u.p.steps))].id; !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// addTask adds a step that depends on others.
func (u *updater) addTask(t task, data value, dependencies []string) (act, bool) {
	if u.full() {
		return act{}, false
	}
	if t.dependencies = dependencies; dependencies != nil {
		data.add("dependencies", texts(u.speltAll(dependencies)))
	}
	v := u.operation("add")
	at := len(u.p.steps)
	if u.oneIn(2) {
		at = u.below(at + 1)
		v.add("position", u.place(at, u.p.steps))
	}
	v.add("step_data", data)
	return u.insert(v, t, at), true
}

// insert carries an addition out.
func (u *updater) insert(v value, t task, at int) act {
	u.p.steps = slices.Insert(slices.Clone(u.p.steps), at, t)
	u.structure = true
	return act{doc: v, kind: "add", id: t.id, result: harness.OperationApplied}
}

// place is how the reply writes an index of a list, to which a step goes that
// is not among the steps.
func (u *updater) place(at int, steps []task) value {
	index := strconv.Itoa(at)
	if u.oneIn(16) {
		return raw(index + ".0")
	}
	if u.profile.Positions != harness.Any {
		return raw(index)
	}
	switch u.below(4) {
	case 0:
		return text(index)
	case 1:
		if at < len(steps) {
			return text("before:" + u.spelt(steps[at].id))
		}
	case 2:
		if at > 0 {
			return text("after:" + u.spelt(steps[at-1].id))
		}
	}
	return raw(index)
}

// needs reports whether one of the steps is the target, or depends on it.
func (u *updater) needs(ids []string, target string) bool {
	seen := map[string]bool{}
	var visit func(id string) bool
	visit = func(id string) bool {
		if id == target {
			return true
		}
		if seen[id] {
			return false
		}
		seen[id] = true
		i := slices.IndexFunc(u.p.steps, func(t task) bool { return t.id == id })
		return i >= 0 && slices.ContainsFunc(u.p.steps[i].dependencies, visit)
	}
	return slices.ContainsFunc(ids, visit)
}

// modify changes one or two members of a step.
func (u *updater) modify() (act, bool) {
	i := u.pickTask(isOpen)
	if i < 0 {
		return act{}, false
	}
	t, data := u.p.steps[i], object()
	for range 1 + u.below(2) {
		u.change(&t, &data)
	}
	if t.step().Equal(u.p.steps[i].step()) {
		return act{}, false
	}
	return u.modified(i, t, data), true
}

// modified carries a modification out.
func (u *updater) modified(i int, t task, data value) act {
	v := u.onStep("modify", t.id)
	v.add("step_data", data)
	u.p.steps = slices.Clone(u.p.steps)
	u.p.steps[i] = t
	u.content = true
	u.cleared = append(u.cleared, t.id)
	return act{doc: v, kind: "modify", id: t.id, result: harness.OperationApplied}
}

// change changes one member of a step, if data does not hold it yet.
func (u *updater) change(t *task, data *value) {
	set := func(name string, v value) bool {
		if slices.ContainsFunc(data.fields, func(f field) bool { return f.name == name }) {
			return false
		}
		data.add(name, v)
		return true
	}
	phrase := pick(&u.choices, phrases)
	switch u.below(7) {
	case 0, 1:
		if set("description", text(phrase)) {
			t.description = phrase
		}
	case 2:
		if set("name", text(phrase)) {
			t.name = phrase
		}
	case 3:
		if s := pick(&u.choices, specialists[:]); set("assigned_specialist", text(s)) {
			t.specialist = s
		}
	case 4:
		if p := pick(&u.choices, priorities[:]); set("priority", raw(p)) {
			t.priority = p
		}
	case 5:
		if p := pick(&u.choices, parameters[:]); set("parameters", raw(p)) {
			t.parameters = p
		}
	default:
		deps := slices.DeleteFunc(u.depended(2), func(d string) bool { return u.needs([]string{d}, t.id) })
		if set("dependencies", texts(u.speltAll(deps))) {
			t.dependencies = deps
		}
	}
}

// isNeeded reports whether another step depends on the step.
func (u *updater) isNeeded(t *task) bool {
	return slices.ContainsFunc(u.p.steps, func(s task) bool { return slices.Contains(s.dependencies, t.id) })
}

// remove takes a step away that nothing depends on.
func (u *updater) remove() (act, bool) {
	i := u.pickTask(func(t *task) bool { return isOpen(t) && !u.isNeeded(t) })
	if i < 0 || len(u.p.steps) == 1 {
		return act{}, false
	}
	return u.removed(i), true
}

// removed carries a removal out.
func (u *updater) removed(i int) act {
	t := u.p.steps[i]
	u.p.steps = slices.Delete(slices.Clone(u.p.steps), i, i+1)
	u.structure = true
	u.cleared = append(u.cleared, t.id)
	return act{doc: u.onStep("remove", t.id), kind: "remove", id: t.id, result: harness.OperationApplied}
}

// reorder moves a step.
func (u *updater) reorder() (act, bool) {
	from := u.pickTask(isOpen)
	if from < 0 || len(u.p.steps) < 2 {
		return act{}, false
	}
	to := u.below(len(u.p.steps) - 1)
	if to >= from {
		to++
	}
	return u.moved(from, to), true
}

// moved carries a move out: to is the index in the list that results.
func (u *updater) moved(from, to int) act {
	t := u.p.steps[from]
	rest := slices.Delete(slices.Clone(u.p.steps), from, from+1)
	v := u.onStep("reorder", t.id)
	v.add("position", u.place(to, rest))
	u.p.steps = slices.Insert(rest, to, t)
	u.structure = true
	return act{doc: v, kind: "reorder", id: t.id, result: harness.OperationApplied}
}

// metadata is what a reply says of the plan as a whole; nil is nothing.
type metadata struct {
	name, description *string
	reason            string
	extra             []field
	whole             *value // in place of the object
}

func (u *updater) drawMetadata() (m metadata) {
	if u.oneIn(3) {
		m.reason = pick(&u.choices, phrases)
	}
	for _, p := range []**string{&m.name, &m.description} {
		if u.oneIn(6) {
			s := pick(&u.choices, append([]string{"", " "}, phrases[:6]...))
			*p = &s
		}
	}
	return m
}

// apply changes the plan, and reports whether it did.
func (m *metadata) apply(p *record) (changed bool) {
	if m.name != nil && trimmed(*m.name) != "" && trimmed(*m.name) != p.name {
		p.name, changed = trimmed(*m.name), true
	}
	if m.description != nil && trimmed(*m.description) != "" && *m.description != p.description {
		p.description, changed = *m.description, true
	}
	return changed
}

func (m *metadata) value() (v value, ok bool) {
	if m.whole != nil {
		return *m.whole, true
	}
	if m.name != nil {
		v.add("name", text(*m.name))
	}
	if m.description != nil {
		v.add("description", text(*m.description))
	}
	if m.reason != "" {
		v.add("update_reason", text(m.reason))
	}
	v.fields = append(v.fields, m.extra...)
	return v, len(v.fields) > 0
}

// ensure changes the plan so that it has what a fault needs.
func (u *updater) ensure(finished, open, chain bool) {
	if finished && u.pickTask(isFinished) < 0 {
		if i := u.below(len(u.p.steps)); len(u.p.steps) > 1 || !open {
			u.p.steps[i].status = plan.Completed
		} else {
			u.p.steps = append(u.p.steps, task{id: u.newStepID(), name: "finished", status: plan.Completed})
		}
	}
	if open && u.pickTask(isOpen) < 0 {
		if len(u.p.steps) > 1 || !finished {
			u.p.steps[u.below(len(u.p.steps))].status = plan.Running
		} else {
			u.p.steps = append(u.p.steps, task{id: u.newStepID(), name: "open", status: plan.Pending})
		}
	}
	if chain && u.pickTask(func(t *task) bool { return isOpen(t) && u.isNeeded(t) }) < 0 {
		id := u.p.steps[u.pickTask(isOpen)].id
		u.p.steps = append(u.p.steps, task{id: u.newStepID(), description: "behind", dependencies: []string{id}, status: plan.Pending})
	}
}
