package generators

import (
	"strconv"

	"replanbench/harness"
)

func number(n int) value { return raw(strconv.Itoa(n)) }

// set puts another value for a member.
func (v *value) set(name string, w value) {
	for i := range v.fields {
		if v.fields[i].name == name {
			v.fields[i].value = w
		}
	}
}

// graphFaults are about what steps depend on, and how many there may be.
func graphFaults() []updateFault {
	const family = "graph"
	return []updateFault{
		{
			Name: "add-unknown-dependency", Family: family, act: addDepending((*updater).newStepID),
			Text: "an added step depends on one that the plan does not have: missing_dependency",
		},
		{
			Name: "add-removed-dependency", Family: family, act: addDependingOnRemoved,
			Text: "an added step depends on one that the same update removed: missing_dependency",
		},
		{
			Name: "add-forward-dependency", Family: family, act: addForward,
			Text: "an added step depends on one that is added behind it: missing_dependency",
		},
		{
			Name: "add-self-dependency", Family: family, act: addSelf,
			Text: "an added step depends on itself: dependency_cycle",
		},
		{
			Name: "modify-unknown-dependency", Family: family, prepare: needOpen, act: modifyUnknown,
			Text: "a step comes to depend on one that the plan does not have: missing_dependency",
		},
		{
			Name: "modify-self-dependency", Family: family, prepare: needOpen, act: modifySelf,
			Text: "a step comes to depend on itself: dependency_cycle",
		},
		{
			Name: "modify-cycle", Family: family, prepare: needChain, act: modifyCycle, weight: 24,
			Text: "a step comes to depend on one that depends on it: dependency_cycle",
		},
		{
			Name: "duplicate-dependency", Family: family, act: dependTwice,
			Text: "a dependency is listed twice: kept once",
		},
		{
			Name: "over-capacity", Family: family, prepare: tightLimit, act: addTooMany, weight: 24,
			Text: "a step is added to a plan that is full: over_capacity",
		},
	}
}

func addDepending(on func(*updater) string) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		if u.full() {
			return act{}, false
		}
		v := u.operation("add")
		needed := on(u)
		id := u.newStepID() // one that is made could be what it depends on
		if id == needed {
			id = u.newStepID()
		}
		v.add("step_data", object(field{"id", text(id)}, field{"name", text(pick(&u.choices, phrases))}, field{"dependencies", texts([]string{needed})}))
		return fails(v, "add", id, harness.MissingDependency)
	}
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
	v.add("step_data", object(field{"id", text(later)}, field{"name", text("later")}))
	return u.insert(v, task{id: later, name: "later", status: t.status}, len(u.p.steps)), true
}

func addSelf(u *updater) (act, bool) {
	if u.full() {
		return act{}, false
	}
	id := u.newStepID()
	v := u.operation("add")
	v.add("step_data", object(field{"id", text(id)}, field{"name", text("itself")}, field{"dependencies", texts([]string{id})}))
	return fails(v, "add", "", harness.DependencyCycle)
}

// rewired writes a modification of a step's dependencies.
func (u *updater) rewired(id string, dependencies ...string) value {
	v := u.onStep("modify", id)
	v.add("step_data", object(field{"dependencies", texts(u.speltAll(dependencies))}))
	return v
}

func modifyUnknown(u *updater) (act, bool) {
	id, ok := u.idOf(isOpen)
	if !ok {
		return act{}, false
	}
	return fails(u.rewired(id, u.newStepID()), "modify", id, harness.MissingDependency)
}

func modifySelf(u *updater) (act, bool) {
	id, ok := u.idOf(isOpen)
	if !ok {
		return act{}, false
	}
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
	if u.full() {
		return act{}, false
	}
	t, data := u.newTask()
	on := u.p.steps[u.below(len(u.p.steps))].id
	t.dependencies = []string{on}
	data.add("dependencies", texts([]string{on, u.spelt(on)}))
	v := u.operation("add")
	v.add("step_data", data)
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnDuplicateDependency}
	return a, true
}

func tightLimit(u *updater) bool {
	u.limit = max(1, len(u.p.steps)-u.below(2))
	return true
}

func addTooMany(u *updater) (act, bool) {
	if !u.full() {
		return act{}, false
	}
	v := u.operation("add")
	v.add("step_data", object(field{"name", text(pick(&u.choices, phrases))}))
	return fails(v, "add", "", harness.OverCapacity)
}

// dataFaults are about step_data.
func dataFaults() []updateFault {
	const family = "data"
	bad := func(name, what string, fields ...field) updateFault {
		return updateFault{Name: name, Family: family, Text: what, prepare: needOpen, act: badData(harness.BadType, fields...)}
	}
	return []updateFault{
		{Name: "modify-id", Family: family, prepare: needOpen, act: modifyID, Text: "a modification gives a step another id: extra_field"},
		{
			Name: "modify-status", Family: family, prepare: needOpen, act: modifyFixed("status", text("completed"), text("pending"), text("done")),
			Text: "a modification declares a step finished: extra_field",
		},
		{
			Name: "modify-unknown-member", Family: family, prepare: needOpen, act: modifyFixed("risk", text("low"), raw("7"), raw("[]")),
			Text: "a modification has a member that steps do not have: extra_field",
		},
		{Name: "modify-same", Family: family, prepare: needOpen, act: modifySame, Text: "a modification changes no value: unchanged"},
		{Name: "modify-empty", Family: family, prepare: needOpen, act: modifyEmpty, Text: "a modification has no members, or null ones: unchanged"},
		{Name: "add-unknown-member", Family: family, act: addUnknownMember, Text: "an added step has a member that steps do not have: extra_field, or dropped"},
		{Name: "add-finished", Family: family, act: addStatus, Text: "an added step says that it is completed: it is pending, status_forced"},
		{Name: "add-unnamed", Family: family, act: addUnnamed, Text: "an added step has neither name nor description: missing_field"},
		{Name: "add-blank-id", Family: family, act: addBlank, Text: "the id of an added step is blank: empty_id"},
		{
			Name: "blank-dependency", Family: family, prepare: needOpen, act: badData(harness.EmptyID, field{"dependencies", texts([]string{" "})}),
			Text: "a dependency is blank: empty_id",
		},
		{Name: "data-missing", Family: family, prepare: needOpen, act: dataMissing, Text: "an operation lacks its step_data: missing_field"},
		{Name: "data-list", Family: family, prepare: needOpen, act: dataList, Text: "step_data is no object: bad_type"},
		bad("name-number", "the name of a step is a number: bad_type", field{"name", raw("7")}),
		bad("priority-text", "the priority of a step is a text: bad_type", field{"priority", text("high")}),
		bad("parameters-list", "the parameters of a step are a list: bad_type", field{"parameters", raw(`["k"]`)}),
		bad("dependencies-text", "the dependencies of a step are a text: bad_type", field{"dependencies", text("step_1")}),
		bad("dependency-number", "a dependency is a number: bad_type", field{"dependencies", raw("[1]")}),
		bad("id-number", "the id of an added step is a number: bad_type", field{"id", raw("4")}),
	}
}

// badData writes an operation whose step_data has such members.
func badData(code harness.Code, fields ...field) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		data := object(field{"description", text(pick(&u.choices, phrases))})
		data.fields = append(data.fields, fields...)
		if id, ok := u.idOf(isOpen); ok && u.oneIn(2) {
			v := u.onStep("modify", id)
			v.add("step_data", data)
			return fails(v, "modify", "", code)
		}
		v := u.operation("add")
		v.add("step_data", data)
		return fails(v, "add", "", code)
	}
}

func modifyID(u *updater) (act, bool) {
	id, ok := u.idOf(isOpen)
	if !ok {
		return act{}, false
	}
	to := id
	if u.oneIn(2) {
		to = u.newStepID()
	}
	v := u.onStep("modify", id)
	v.add("step_data", object(field{"id", text(to)}, field{"name", text(pick(&u.choices, phrases))}))
	return fails(v, "modify", id, harness.ExtraField)
}

func modifyFixed(member string, values ...value) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		id, ok := u.idOf(isOpen)
		if !ok {
			return act{}, false
		}
		v := u.onStep("modify", id)
		v.add("step_data", object(field{"name", text(pick(&u.choices, phrases))}, field{member, pick(&u.choices, values)}))
		return fails(v, "modify", id, harness.ExtraField)
	}
}

// idle writes a modification that changes nothing.
func (u *updater) idle(t *task, data value) (act, bool) {
	v := u.onStep("modify", t.id)
	v.add("step_data", data)
	return act{doc: v, kind: "modify", id: t.id, result: harness.OperationUnchanged}, true
}

func modifySame(u *updater) (act, bool) {
	i := u.pickTask(isOpen)
	if i < 0 {
		return act{}, false
	}
	t := u.p.steps[i]
	data := object(field{"description", text(t.description)}, field{"dependencies", texts(u.speltAll(t.dependencies))})
	if t.parameters != "" {
		data.add("parameters", raw(t.parameters))
	}
	return u.idle(&t, data)
}

func modifyEmpty(u *updater) (act, bool) {
	i := u.pickTask(isOpen)
	if i < 0 {
		return act{}, false
	}
	data := object()
	if u.oneIn(2) {
		data = object(field{"name", raw("null")}, field{"dependencies", raw("null")})
	}
	return u.idle(&u.p.steps[i], data)
}

func addUnknownMember(u *updater) (act, bool) {
	if u.full() {
		return act{}, false
	}
	t, data := u.newTask()
	data.add("risk", text("low"))
	v := u.operation("add")
	v.add("step_data", data)
	if u.profile.ExtraFields != harness.Drop {
		return fails(v, "add", "", harness.ExtraField)
	}
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnUnknownField}
	return a, true
}

func addStatus(u *updater) (act, bool) {
	if u.full() {
		return act{}, false
	}
	t, data := u.newTask()
	data.add("status", text(pick(&u.choices, []string{"completed", "running", "Pending", "done"})))
	v := u.operation("add")
	v.add("step_data", data)
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnStatusForced}
	return a, true
}

func addUnnamed(u *updater) (act, bool) {
	data := object(field{"assigned_specialist", text("coder")})
	if u.oneIn(2) {
		data = object(field{"id", text(u.newStepID())}, field{"name", text(" ")}, field{"description", raw("null")})
	}
	v := u.operation("add")
	v.add("step_data", data)
	return fails(v, "add", "", harness.MissingField)
}

func addBlank(u *updater) (act, bool) {
	v := u.operation("add")
	v.add("step_data", object(field{"id", text(pick(&u.choices, []string{"", " ", "\u00a0\t"}))}, field{"name", text("blank")}))
	return fails(v, "add", "", harness.EmptyID)
}

func dataMissing(u *updater) (act, bool) {
	if id, ok := u.idOf(isOpen); ok && u.oneIn(2) {
		return fails(u.onStep("modify", id), "modify", "", harness.MissingField)
	}
	return fails(u.operation("add"), "add", "", harness.MissingField)
}

func dataList(u *updater) (act, bool) {
	v := u.operation("add")
	v.add("step_data", raw(pick(&u.choices, []string{`[{"name":"x"}]`, `"name"`, "7", "null"})))
	return fails(v, "add", "", harness.BadType)
}

// shapeFaults are about an operation as such.
func shapeFaults() []updateFault {
	const family = "operations"
	malformed := func(name, what string, code harness.Code, texts ...string) updateFault {
		return updateFault{Name: name, Family: family, Text: what, act: func(u *updater) (act, bool) {
			return fails(raw(pick(&u.choices, texts)), "", "", code)
		}}
	}
	return []updateFault{
		malformed("operation-null", "an operation is null: bad_type", harness.BadType, "null"),
		malformed("operation-no-object", "an operation is no object: bad_type", harness.BadType, `"remove step_1"`, "[]", "3"),
		malformed("type-missing", "an operation has no type: missing_field", harness.MissingField, `{"step_id":"step_1"}`, "{}"),
		malformed("type-no-text", "the type of an operation is no text: bad_type", harness.BadType, `{"type":1,"step_id":"step_1"}`, `{"type":["add"]}`, `{"type":null,"step_id":"step_1"}`),
		{Name: "type-unknown", Family: family, act: typeUnknown, Text: "the type of an operation is unknown: unknown_operation"},
		{Name: "step-id-missing", Family: family, prepare: needOpen, act: idMissing, Text: "an operation names no step: missing_field"},
		{Name: "step-id-blank", Family: family, act: idOfKind(harness.EmptyID, text(""), text(" ")), Text: "an operation names a blank step: empty_id"},
		{Name: "step-id-number", Family: family, act: idOfKind(harness.BadType, raw("1"), raw("[]"), raw("{}"), raw("null")), Text: "an operation names a step by a number or null: bad_type"},
		{
			Name: "step-id-other-name", Family: family, prepare: needOpen, act: idOtherName, weight: 24,
			Text: "the step is named by stepID, stepId or id: missing_field, or taken",
		},
		{Name: "reason-number", Family: family, prepare: needOpen, act: reasonNumber, Text: "the reason of an operation is a number: bad_type"},
		{Name: "unused-member", Family: family, prepare: needOpen, act: unusedMember, Text: "an operation has a member that it has no use for: unknown_field"},
	}
}

func typeUnknown(u *updater) (act, bool) {
	kind := pick(&u.choices, []string{"replace", "Add", "delete", "update", "move", ""})
	v := u.operation(kind)
	v.add("step_id", text(u.p.steps[0].id))
	return fails(v, kind, "", harness.UnknownOperation)
}

func idMissing(u *updater) (act, bool) {
	kind := pick(&u.choices, []string{"modify", "remove", "reorder"})
	v := u.aimed(kind, "x")
	v.fields = dropID(v.fields)
	return fails(v, kind, "", harness.MissingField)
}

// dropID leaves out what names the step.
func dropID(fields []field) (rest []field) {
	for _, f := range fields {
		if f.name == "type" || f.name == "reason" || f.name == "position" || f.name == "step_data" {
			rest = append(rest, f)
		}
	}
	return rest
}

func idOfKind(code harness.Code, ids ...value) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		kind := pick(&u.choices, []string{"modify", "remove", "reorder"})
		v := u.aimed(kind, "x")
		v.fields = dropID(v.fields)
		v.add(u.idName(), pick(&u.choices, ids))
		return fails(v, kind, "", code)
	}
}

func idOtherName(u *updater) (act, bool) {
	i := u.pickTask(func(t *task) bool { return isOpen(t) && !u.isNeeded(t) })
	if i < 0 || len(u.p.steps) < 2 {
		return act{}, false
	}
	name := pick(&u.choices, []string{"stepID", "stepId", "id"})
	v := u.operation("remove")
	v.add(name, text(u.p.steps[i].id))
	if u.profile.StepIDNames != harness.Any {
		return fails(v, "remove", "", harness.MissingField)
	}
	a := u.removed(i)
	a.doc = v
	return a, true
}

func reasonNumber(u *updater) (act, bool) {
	id, ok := u.idOf(isOpen)
	if !ok {
		return act{}, false
	}
	v := object(field{"type", text("reorder")}, field{"step_id", text(id)}, field{"position", raw("0")}, field{"reason", raw("1")})
	return fails(v, "reorder", "", harness.BadType)
}

func unusedMember(u *updater) (act, bool) {
	a, ok := u.modify()
	if !ok {
		return act{}, false
	}
	a.doc.add("position", raw("0"))
	a.warnings = []string{harness.WarnUnknownField}
	return a, true
}
