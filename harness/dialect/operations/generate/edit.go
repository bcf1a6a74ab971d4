package generate

import (
	"slices"
	"strconv"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/words"
	"replanbench/harness/plan"
)

// drawAct draws an operation that applies. It returns false where the plan has
// no place for it.
func drawAct(u *updater) (act, bool) {
	switch u.Below(8) {
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
func (u *updater) operation(kind string) generators.Value {
	v := generators.Object(generators.Field{Name: "type", Value: generators.Text(kind)})
	if u.OneIn(3) {
		v.Add("reason", generators.Text(generators.Pick(&u.Choices, generators.Phrases)))
	}
	return v
}

// onStep begins an operation on a step.
func (u *updater) onStep(kind, id string) generators.Value {
	v := u.operation(kind)
	v.Add(u.idName(), generators.Text(u.spelt(id)))
	return v
}

// idName is a name for the id of a step that the rules take.
func (u *updater) idName() string {
	if u.profile.StepIDNames == harness.Any {
		return generators.Pick(&u.Choices, []string{"step_id", "stepID", "stepId", "id"})
	}
	return "step_id"
}

// spelt is how the reply writes an id: now and then with white space round it.
func (u *updater) spelt(id string) string {
	if u.OneIn(16) {
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
func (u *updater) newTask() (t task, data generators.Value) {
	named := u.Below(3) > 0
	id := ""
	if named {
		id = u.newStepID()
	}
	t = u.work(id)
	data = generators.Object()
	if named {
		data.Add("id", generators.Text(u.spelt(id)))
	} else {
		t.id = u.generated()
	}
	if t.description != "" {
		data.Add("description", generators.Text(t.description))
	}
	data.Fields = append(data.Fields, t.extra().Fields...)
	if len(t.tools) > 0 {
		data.Add("tools_expected", generators.Texts(t.tools))
	}
	return t, data
}

// add adds a step.
func (u *updater) add() (act, bool) {
	t, data := u.newTask()
	return u.addTask(t, data, u.depended(u.Below(3)))
}

// depended draws up to n steps to depend on.
func (u *updater) depended(n int) (list []string) {
	for range n {
		if id := u.p.steps[u.Below(len(u.p.steps))].id; !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// addTask adds a step that depends on others.
func (u *updater) addTask(t task, data generators.Value, dependencies []string) (act, bool) {
	if u.full() {
		return act{}, false
	}
	if t.dependencies = dependencies; dependencies != nil {
		data.Add("dependencies", generators.Texts(u.speltAll(dependencies)))
	}
	v := u.operation("add")
	at := len(u.p.steps)
	if u.OneIn(2) {
		at = u.Below(at + 1)
		v.Add("position", u.place(at, u.p.steps))
	}
	v.Add("step_data", data)
	return u.insert(v, t, at), true
}

// insert carries an addition out.
func (u *updater) insert(v generators.Value, t task, at int) act {
	u.p.steps = slices.Insert(slices.Clone(u.p.steps), at, t)
	u.structure = true
	return act{doc: v, kind: "add", id: t.id, result: words.Applied}
}

// place is how the reply writes an index of a list, to which a step goes that
// is not among the steps.
func (u *updater) place(at int, steps []task) generators.Value {
	index := strconv.Itoa(at)
	if u.OneIn(16) {
		return generators.Raw(index + ".0")
	}
	if u.profile.Positions != harness.Any {
		return generators.Raw(index)
	}
	switch u.Below(4) {
	case 0:
		return generators.Text(index)
	case 1:
		if at < len(steps) {
			return generators.Text("before:" + u.spelt(steps[at].id))
		}
	case 2:
		if at > 0 {
			return generators.Text("after:" + u.spelt(steps[at-1].id))
		}
	}
	return generators.Raw(index)
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
	t, data := u.p.steps[i], generators.Object()
	for range 1 + u.Below(2) {
		u.change(&t, &data)
	}
	if t.step().Equal(u.p.steps[i].step()) {
		return act{}, false
	}
	return u.modified(i, t, data), true
}

// modified carries a modification out.
func (u *updater) modified(i int, t task, data generators.Value) act {
	v := u.onStep("modify", t.id)
	v.Add("step_data", data)
	u.p.steps = slices.Clone(u.p.steps)
	u.p.steps[i] = t
	u.content = true
	u.cleared = append(u.cleared, t.id)
	return act{doc: v, kind: "modify", id: t.id, result: words.Applied}
}

// change changes one member of a step, if data does not hold it yet.
func (u *updater) change(t *task, data *generators.Value) {
	set := func(name string, v generators.Value) bool {
		if slices.ContainsFunc(data.Fields, func(f generators.Field) bool { return f.Name == name }) {
			return false
		}
		data.Add(name, v)
		return true
	}
	phrase := generators.Pick(&u.Choices, generators.Phrases)
	switch u.Below(7) {
	case 0, 1:
		if set("description", generators.Text(phrase)) {
			t.description = phrase
		}
	case 2:
		if set("name", generators.Text(phrase)) {
			t.name = phrase
		}
	case 3:
		if s := generators.Pick(&u.Choices, specialists[:]); set("assigned_specialist", generators.Text(s)) {
			t.specialist = s
		}
	case 4:
		if p := generators.Pick(&u.Choices, priorities[:]); set("priority", generators.Raw(p)) {
			t.priority = p
		}
	case 5:
		if p := generators.Pick(&u.Choices, parameters[:]); set("parameters", generators.Raw(p)) {
			t.parameters = p
		}
	default:
		deps := slices.DeleteFunc(u.depended(2), func(d string) bool { return u.needs([]string{d}, t.id) })
		if set("dependencies", generators.Texts(u.speltAll(deps))) {
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
	return act{doc: u.onStep("remove", t.id), kind: "remove", id: t.id, result: words.Applied}
}

// reorder moves a step.
func (u *updater) reorder() (act, bool) {
	from := u.pickTask(isOpen)
	if from < 0 || len(u.p.steps) < 2 {
		return act{}, false
	}
	to := u.Below(len(u.p.steps) - 1)
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
	v.Add("position", u.place(to, rest))
	u.p.steps = slices.Insert(rest, to, t)
	u.structure = true
	return act{doc: v, kind: "reorder", id: t.id, result: words.Applied}
}

// metadata is what a reply says of the plan as a whole; nil is nothing.
type metadata struct {
	name, description *string
	reason            string
	extra             []generators.Field
	whole             *generators.Value // in place of the object
}

func (u *updater) drawMetadata() (m metadata) {
	if u.OneIn(3) {
		m.reason = generators.Pick(&u.Choices, generators.Phrases)
	}
	for _, p := range []**string{&m.name, &m.description} {
		if u.OneIn(6) {
			s := generators.Pick(&u.Choices, append([]string{"", " "}, generators.Phrases[:6]...))
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

// ensure changes the plan so that it has what a fault needs.
func (u *updater) ensure(finished, open, chain bool) {
	if finished && u.pickTask(isFinished) < 0 {
		if i := u.Below(len(u.p.steps)); len(u.p.steps) > 1 || !open {
			u.p.steps[i].status = plan.Completed
		} else {
			u.p.steps = append(u.p.steps, task{id: u.newStepID(), name: "finished", status: plan.Completed})
		}
	}
	if open && u.pickTask(isOpen) < 0 {
		if len(u.p.steps) > 1 || !finished {
			u.p.steps[u.Below(len(u.p.steps))].status = plan.Running
		} else {
			u.p.steps = append(u.p.steps, task{id: u.newStepID(), name: "open", status: plan.Pending})
		}
	}
	if chain && u.pickTask(func(t *task) bool { return isOpen(t) && u.isNeeded(t) }) < 0 {
		id := u.p.steps[u.pickTask(isOpen)].id
		u.p.steps = append(u.p.steps, task{id: u.newStepID(), description: "behind", dependencies: []string{id}, status: plan.Pending})
	}
}
