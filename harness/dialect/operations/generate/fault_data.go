package generate

import (
	"strconv"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/words"
)

func number(n int) generators.Value { return generators.Raw(strconv.Itoa(n)) }

// set puts another value for a member.
func set(v *generators.Value, name string, w generators.Value) {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			v.Fields[i].Value = w
		}
	}
}

// graphFaults are about what steps depend on, and how many there may be.
func graphFaults() []updateFault {
	fault := generators.Family("graph")
	return []updateFault{
		{Trait: fault("add-unknown-dependency", "an added step depends on one that the plan does not have: missing_dependency"), act: addDepending((*updater).newStepID)},
		{Trait: fault("add-removed-dependency", "an added step depends on one that the same update removed: missing_dependency"), act: addDependingOnRemoved},
		{Trait: fault("add-forward-dependency", "an added step depends on one that is added behind it: missing_dependency"), act: addForward},
		{Trait: fault("add-self-dependency", "an added step depends on itself: dependency_cycle"), act: withRoom(addSelf)},
		{Trait: fault("modify-unknown-dependency", "a step comes to depend on one that the plan does not have: missing_dependency"), prepare: needOpen, act: onOpen(modifyUnknown)},
		{Trait: fault("modify-self-dependency", "a step comes to depend on itself: dependency_cycle"), prepare: needOpen, act: onOpen(modifySelf)},
		{Trait: fault("modify-cycle", "a step comes to depend on one that depends on it: dependency_cycle").Weigh(24), prepare: needChain, act: modifyCycle},
		{Trait: fault("duplicate-dependency", "a dependency is listed twice: kept once"), act: withRoom(dependTwice)},
		{Trait: fault("over-capacity", "a step is added to a plan that is full: over_capacity").Weigh(24), prepare: tightLimit, act: addTooMany},
	}
}

func addDepending(on func(*updater) string) func(u *updater) (act, bool) {
	return withRoom(func(u *updater) (act, bool) {
		v := u.operation("add")
		needed := on(u)
		id := u.newStepID() // one that is made could be what it depends on
		if id == needed {
			id = u.newStepID()
		}
		v.Add("step_data", generators.Object(generators.Field{Name: "id", Value: generators.Text(id)}, generators.Field{Name: "name", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}, generators.Field{Name: "dependencies", Value: generators.Texts([]string{needed})}))
		return fails(v, "add", id, harness.MissingDependency)
	})
}

func addDependingOnRemoved(u *updater) (act, bool) {
	a, ok := u.remove()
	if !ok {
		return act{}, false
	}
	u.acts = append(u.acts, a)
	return addDepending(func(*updater) string { return a.id })(u)
}

func addForward(u *updater) (act, bool) {
	if u.limit > 0 && len(u.p.steps)+1 > u.limit {
		return act{}, false
	}
	later := u.newStepID()
	a, _ := addDepending(func(*updater) string { return later })(u)
	u.acts = append(u.acts, a)
	t := u.work(later)
	v := u.operation("add")
	v.Add("step_data", generators.Object(generators.Field{Name: "id", Value: generators.Text(later)}, generators.Field{Name: "name", Value: generators.Text("later")}))
	return u.insert(v, task{id: later, name: "later", status: t.status}, len(u.p.steps)), true
}

func addSelf(u *updater) (act, bool) {
	id := u.newStepID()
	v := u.operation("add")
	v.Add("step_data", generators.Object(generators.Field{Name: "id", Value: generators.Text(id)}, generators.Field{Name: "name", Value: generators.Text("itself")}, generators.Field{Name: "dependencies", Value: generators.Texts([]string{id})}))
	return fails(v, "add", "", harness.DependencyCycle)
}

// rewired writes a modification of a step's dependencies.
func (u *updater) rewired(id string, dependencies ...string) generators.Value {
	v := u.onStep("modify", id)
	v.Add("step_data", generators.Object(generators.Field{Name: "dependencies", Value: generators.Texts(u.speltAll(dependencies))}))
	return v
}

func modifyUnknown(u *updater, id string) (act, bool) {
	return fails(u.rewired(id, u.newStepID()), "modify", id, harness.MissingDependency)
}

func modifySelf(u *updater, id string) (act, bool) {
	return fails(u.rewired(id, id), "modify", id, harness.DependencyCycle)
}

func modifyCycle(u *updater) (act, bool) {
	i := u.pickTask(func(t *task) bool { return isOpen(t) && u.isNeeded(t) })
	if i < 0 {
		return act{}, false
	}
	id := u.p.steps[i].id
	behind := u.pickTask(func(t *task) bool { return t.id != id && u.needs([]string{t.id}, id) })
	return fails(u.rewired(id, u.p.steps[behind].id), "modify", id, harness.DependencyCycle)
}

func dependTwice(u *updater) (act, bool) {
	t, data := u.newTask()
	on := u.p.steps[u.Below(len(u.p.steps))].id
	t.dependencies = []string{on}
	data.Add("dependencies", generators.Texts([]string{on, u.spelt(on)}))
	v := u.operation("add")
	v.Add("step_data", data)
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnDuplicateDependency}
	return a, true
}

func tightLimit(u *updater) {
	u.limit = max(1, len(u.p.steps)-u.Below(2))
}

func addTooMany(u *updater) (act, bool) {
	if !u.full() {
		return act{}, false
	}
	v := u.operation("add")
	v.Add("step_data", generators.Object(generators.Field{Name: "name", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}))
	return fails(v, "add", "", harness.OverCapacity)
}

// dataFaults are about step_data.
func dataFaults() []updateFault {
	fault := generators.Family("data")
	bad := func(name, what string, fields ...generators.Field) updateFault {
		return updateFault{Trait: fault(name, what), prepare: needOpen, act: badData(harness.BadType, fields...)}
	}
	return []updateFault{
		{Trait: fault("modify-id", "a modification gives a step another id: extra_field"), prepare: needOpen, act: onOpen(modifyID)},
		{Trait: fault("modify-status", "a modification declares a step finished: extra_field"), prepare: needOpen, act: modifyFixed("status", generators.Text("completed"), generators.Text("pending"), generators.Text("done"))},
		{Trait: fault("modify-unknown-member", "a modification has a member that steps do not have: extra_field"), prepare: needOpen, act: modifyFixed("risk", generators.Text("low"), generators.Raw("7"), generators.Raw("[]"))},
		{Trait: fault("modify-same", "a modification changes no value: unchanged"), prepare: needOpen, act: modifySame},
		{Trait: fault("modify-empty", "a modification has no members, or null ones: unchanged"), prepare: needOpen, act: modifyEmpty},
		{Trait: fault("add-unknown-member", "an added step has a member that steps do not have: extra_field, or dropped"), act: withRoom(addUnknownMember)},
		{Trait: fault("add-finished", "an added step says that it is completed: it is pending, status_forced"), act: withRoom(addStatus)},
		{Trait: fault("add-unnamed", "an added step has neither name nor description: missing_field"), act: addUnnamed},
		{Trait: fault("add-blank-id", "the id of an added step is blank: empty_id"), act: addBlank},
		{Trait: fault("blank-dependency", "a dependency is blank: empty_id"), prepare: needOpen, act: badData(harness.EmptyID, generators.Field{Name: "dependencies", Value: generators.Texts([]string{" "})})},
		{Trait: fault("data-missing", "an operation lacks its step_data: missing_field"), prepare: needOpen, act: dataMissing},
		{Trait: fault("data-list", "step_data is no object: bad_type"), prepare: needOpen, act: dataList},
		bad("name-number", "the name of a step is a number: bad_type", generators.Field{Name: "name", Value: generators.Raw("7")}),
		bad("priority-text", "the priority of a step is a text: bad_type", generators.Field{Name: "priority", Value: generators.Text("high")}),
		bad("parameters-list", "the parameters of a step are a list: bad_type", generators.Field{Name: "parameters", Value: generators.Raw(`["k"]`)}),
		bad("dependencies-text", "the dependencies of a step are a text: bad_type", generators.Field{Name: "dependencies", Value: generators.Text("step_1")}),
		bad("dependency-number", "a dependency is a number: bad_type", generators.Field{Name: "dependencies", Value: generators.Raw("[1]")}),
		bad("id-number", "the id of an added step is a number: bad_type", generators.Field{Name: "id", Value: generators.Raw("4")}),
	}
}

// badData writes an operation whose step_data has such members.
func badData(code harness.Code, fields ...generators.Field) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		data := generators.Object(generators.Field{Name: "description", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))})
		data.Fields = append(data.Fields, fields...)
		if id, ok := u.idOf(isOpen); ok && u.OneIn(2) {
			v := u.onStep("modify", id)
			v.Add("step_data", data)
			return fails(v, "modify", "", code)
		}
		v := u.operation("add")
		v.Add("step_data", data)
		return fails(v, "add", "", code)
	}
}

func modifyID(u *updater, id string) (act, bool) {
	to := id
	if u.OneIn(2) {
		to = u.newStepID()
	}
	v := u.onStep("modify", id)
	v.Add("step_data", generators.Object(generators.Field{Name: "id", Value: generators.Text(to)}, generators.Field{Name: "name", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}))
	return fails(v, "modify", id, harness.ExtraField)
}

func modifyFixed(member string, values ...generators.Value) func(u *updater) (act, bool) {
	return onOpen(func(u *updater, id string) (act, bool) {
		v := u.onStep("modify", id)
		v.Add("step_data", generators.Object(generators.Field{Name: "name", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}, generators.Field{Name: member, Value: generators.Pick(&u.Choices, values)}))
		return fails(v, "modify", id, harness.ExtraField)
	})
}

// idle writes a modification that changes nothing.
func (u *updater) idle(t *task, data generators.Value) (act, bool) {
	v := u.onStep("modify", t.id)
	v.Add("step_data", data)
	return act{doc: v, kind: "modify", id: t.id, result: words.Unchanged}, true
}

func modifySame(u *updater) (act, bool) {
	i := u.pickTask(isOpen)
	if i < 0 {
		return act{}, false
	}
	t := u.p.steps[i]
	data := generators.Object(generators.Field{Name: "description", Value: generators.Text(t.description)}, generators.Field{Name: "dependencies", Value: generators.Texts(u.speltAll(t.dependencies))})
	if t.parameters != "" {
		data.Add("parameters", generators.Raw(t.parameters))
	}
	return u.idle(&t, data)
}

func modifyEmpty(u *updater) (act, bool) {
	i := u.pickTask(isOpen)
	if i < 0 {
		return act{}, false
	}
	data := generators.Object()
	if u.OneIn(2) {
		data = generators.Object(generators.Field{Name: "name", Value: generators.Raw("null")}, generators.Field{Name: "dependencies", Value: generators.Raw("null")})
	}
	return u.idle(&u.p.steps[i], data)
}

func addUnknownMember(u *updater) (act, bool) {
	t, data := u.newTask()
	data.Add("risk", generators.Text("low"))
	v := u.operation("add")
	v.Add("step_data", data)
	if u.profile.ExtraFields != harness.Drop {
		return fails(v, "add", "", harness.ExtraField)
	}
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnUnknownField}
	return a, true
}

func addStatus(u *updater) (act, bool) {
	t, data := u.newTask()
	data.Add("status", generators.Text(generators.Pick(&u.Choices, []string{"completed", "running", "Pending", "done"})))
	v := u.operation("add")
	v.Add("step_data", data)
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnStatusForced}
	return a, true
}

func addUnnamed(u *updater) (act, bool) {
	data := generators.Object(generators.Field{Name: "assigned_specialist", Value: generators.Text("coder")})
	if u.OneIn(2) {
		data = generators.Object(generators.Field{Name: "id", Value: generators.Text(u.newStepID())}, generators.Field{Name: "name", Value: generators.Text(" ")}, generators.Field{Name: "description", Value: generators.Raw("null")})
	}
	v := u.operation("add")
	v.Add("step_data", data)
	return fails(v, "add", "", harness.MissingField)
}

func addBlank(u *updater) (act, bool) {
	v := u.operation("add")
	v.Add("step_data", generators.Object(generators.Field{Name: "id", Value: generators.Text(generators.Pick(&u.Choices, []string{"", " ", "\u00a0\t"}))}, generators.Field{Name: "name", Value: generators.Text("blank")}))
	return fails(v, "add", "", harness.EmptyID)
}

func dataMissing(u *updater) (act, bool) {
	if id, ok := u.idOf(isOpen); ok && u.OneIn(2) {
		return fails(u.onStep("modify", id), "modify", "", harness.MissingField)
	}
	return fails(u.operation("add"), "add", "", harness.MissingField)
}

func dataList(u *updater) (act, bool) {
	v := u.operation("add")
	v.Add("step_data", generators.Raw(generators.Pick(&u.Choices, []string{`[{"name":"x"}]`, `"name"`, "7", "null"})))
	return fails(v, "add", "", harness.BadType)
}

// shapeFaults are about an operation as such.
func shapeFaults() []updateFault {
	fault := generators.Family("operations")
	malformed := func(name, what string, code harness.Code, texts ...string) updateFault {
		return updateFault{Trait: fault(name, what), act: func(u *updater) (act, bool) {
			return fails(generators.Raw(generators.Pick(&u.Choices, texts)), "", "", code)
		}}
	}
	return []updateFault{
		malformed("operation-null", "an operation is null: bad_type", harness.BadType, "null"),
		malformed("operation-no-object", "an operation is no object: bad_type", harness.BadType, `"remove step_1"`, "[]", "3"),
		malformed("type-missing", "an operation has no type: missing_field", harness.MissingField, `{"step_id":"step_1"}`, "{}"),
		malformed("type-no-text", "the type of an operation is no text: bad_type", harness.BadType, `{"type":1,"step_id":"step_1"}`, `{"type":["add"]}`, `{"type":null,"step_id":"step_1"}`),
		{Trait: fault("type-unknown", "the type of an operation is unknown: unknown_operation"), act: typeUnknown},
		{Trait: fault("step-id-missing", "an operation names no step: missing_field"), prepare: needOpen, act: idMissing},
		{Trait: fault("step-id-blank", "an operation names a blank step: empty_id"), act: idOfKind(harness.EmptyID, generators.Text(""), generators.Text(" "))},
		{Trait: fault("step-id-number", "an operation names a step by a number or null: bad_type"), act: idOfKind(harness.BadType, generators.Raw("1"), generators.Raw("[]"), generators.Raw("{}"), generators.Raw("null"))},
		{Trait: fault("step-id-other-name", "the step is named by stepID, stepId or id: missing_field, or taken").Weigh(24), prepare: needOpen, act: idOtherName},
		{Trait: fault("reason-number", "the reason of an operation is a number: bad_type"), prepare: needOpen, act: onOpen(reasonNumber)},
		{Trait: fault("unused-member", "an operation has a member that it has no use for: unknown_field"), prepare: needOpen, act: unusedMember},
	}
}

func typeUnknown(u *updater) (act, bool) {
	kind := generators.Pick(&u.Choices, []string{"replace", "Add", "delete", "update", "move", ""})
	v := u.operation(kind)
	v.Add("step_id", generators.Text(u.p.steps[0].id))
	return fails(v, kind, "", harness.UnknownOperation)
}

func idMissing(u *updater) (act, bool) {
	kind := generators.Pick(&u.Choices, []string{"modify", "remove", "reorder"})
	v := u.aimed(kind, "x")
	v.Fields = dropID(v.Fields)
	return fails(v, kind, "", harness.MissingField)
}

// dropID leaves out what names the step.
func dropID(fields []generators.Field) (rest []generators.Field) {
	for _, f := range fields {
		if f.Name == "type" || f.Name == "reason" || f.Name == "position" || f.Name == "step_data" {
			rest = append(rest, f)
		}
	}
	return rest
}

func idOfKind(code harness.Code, ids ...generators.Value) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		kind := generators.Pick(&u.Choices, []string{"modify", "remove", "reorder"})
		v := u.aimed(kind, "x")
		v.Fields = dropID(v.Fields)
		v.Add(u.idName(), generators.Pick(&u.Choices, ids))
		return fails(v, kind, "", code)
	}
}

func idOtherName(u *updater) (act, bool) {
	i := u.pickTask(func(t *task) bool { return isOpen(t) && !u.isNeeded(t) })
	if i < 0 || len(u.p.steps) < 2 {
		return act{}, false
	}
	name := generators.Pick(&u.Choices, []string{"stepID", "stepId", "id"})
	v := u.operation("remove")
	v.Add(name, generators.Text(u.p.steps[i].id))
	if u.profile.StepIDNames != harness.Any {
		return fails(v, "remove", "", harness.MissingField)
	}
	a := u.removed(i)
	a.doc = v
	return a, true
}

func reasonNumber(u *updater, id string) (act, bool) {
	v := generators.Object(generators.Field{Name: "type", Value: generators.Text("reorder")}, generators.Field{Name: "step_id", Value: generators.Text(id)}, generators.Field{Name: "position", Value: generators.Raw("0")}, generators.Field{Name: "reason", Value: generators.Raw("1")})
	return fails(v, "reorder", "", harness.BadType)
}

func unusedMember(u *updater) (act, bool) {
	a, ok := u.modify()
	if !ok {
		return act{}, false
	}
	a.doc.Add("position", generators.Raw("0"))
	a.warnings = []string{harness.WarnUnknownField}
	return a, true
}
