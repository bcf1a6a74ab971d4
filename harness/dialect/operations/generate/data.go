package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
)

// graphTraits are about what steps depend on, and how many there may be.
func graphTraits() []trait {
	row := generators.Family("graph")
	adds := func(name, what, theme string, act func(u *updater) act) trait {
		return trait{Trait: needs(row(name, what).Says(theme, "add"), "add"), has: sized, act: act}
	}
	modifies := func(name, what, theme string, steps []role, act func(u *updater) act) trait {
		return trait{Trait: needs(row(name, what).Says(theme, "modify"), "modify"), steps: steps, act: act}
	}
	removed := adds("add-removed-dependency",
		"an added step depends on a step that the update removed: missing_dependency", "removed dependency",
		func(u *updater) act {
			u.acts = append(u.acts, u.removed(u.mine(0)))
			return u.addDepending(u.mine(0))
		})
	removed.steps, removed.Needs = []role{leaf}, []string{"add", "remove"}
	full := trait{
		Trait: needs(row("over-capacity", "a step is added to a full plan: over_capacity").Says("full plan",
			"add"), "add", "max_plan_steps"),
		keeps: true, claim: limit, bars: sized,
		base: func(u *updater) { u.limit = max(1, len(u.p.steps)-u.Below(2)) },
		act:  func(u *updater) act { return fails(u.adding(u.named()), "add", "", harness.OverCapacity) },
	}
	met := trait{
		Trait: needs(row("limit-met", "an added step makes the plan full: applied").Says("limit met", "add"),
			"add", "max_plan_steps"),
		keeps: true, claim: limit, bars: sized,
		base: func(u *updater) { u.limit = len(u.p.steps) + 1 },
		act:  func(u *updater) act { return u.add() },
	}
	chain := []role{needed, behind}
	return []trait{
		adds("add-unknown-dependency", "an added step depends on an unknown step: missing_dependency", "unknown dependency",
			func(u *updater) act { return u.addDepending(u.newStepID()) }),
		removed,
		adds("add-forward-dependency", "an added step depends on a later addition: missing_dependency", "later dependency",
			addForward),
		adds("add-self-dependency", "an added step depends on itself: dependency_cycle", "step that depends on itself",
			func(u *updater) act {
				id := u.newStepID()
				return fails(u.adding(field("id", generators.Text(id)), u.named(), depending(id)), "add", "",
					harness.DependencyCycle)
			}),
		modifies("modify-unknown-dependency", "a modification adds a dependency on an unknown step: missing_dependency",
			"unknown dependency", []role{open}, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.newStepID())), "modify", u.mine(0), harness.MissingDependency)
			}),
		modifies("modify-self-dependency", "a modification makes a step depend on itself: dependency_cycle",
			"step that depends on itself", []role{open}, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.mine(0))), "modify", u.mine(0), harness.DependencyCycle)
			}),
		modifies("modify-cycle", "a modification makes a step depend on one that depends on it: dependency_cycle", "cycle",
			chain, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.mine(1))), "modify", u.mine(0), harness.DependencyCycle)
			}),
		modifies("modify-long-cycle", "a modification closes a cycle of three steps or more: dependency_cycle", "cycle",
			[]role{needed, behind, behind}, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.mine(2))), "modify", u.mine(0), harness.DependencyCycle)
			}),
		modifies("modify-cycle-of-two", "two modifications close a cycle together: the second fails with dependency_cycle",
			"cycle", []role{leaf, open}, func(u *updater) act {
				u.needAnew(1, 0)
				return fails(u.modifying(u.mine(0), depending(u.mine(1))), "modify", u.mine(0), harness.DependencyCycle)
			}),
		sizing(modifies("modify-frees", "a modification drops a dependency on a step that is then removed", "freed step",
			[]role{held, behind}, modifyFrees), "remove"),
		adds("duplicate-dependency", "a dependency is listed twice: it is kept once", "duplicate dependency", dependTwice),
		full, met,
	}
}

func depending(on ...string) generators.Field { return field("dependencies", generators.Texts(on)) }

// addDepending adds a step that depends on one that is not there.
func (u *updater) addDepending(on string) act {
	id := u.newStepID() // one that is made up could be what it depends on
	return fails(u.adding(field("id", generators.Text(id)), u.named(), depending(on)), "add", id,
		harness.MissingDependency)
}

func addForward(u *updater) act {
	later := u.newStepID()
	u.acts = append(u.acts, u.addDepending(later))
	return u.insert(u.adding(field("id", generators.Text(later)), field("name", generators.Text("later"))),
		task{id: later, name: "later", status: "pending"}, len(u.p.steps))
}

// needAnew makes one of the trait's steps depend on another of them.
func (u *updater) needAnew(one, other int) {
	t := u.step(u.mine(one))
	t.dependencies = append(slices.Clone(t.dependencies), u.mine(other))
	u.acts = append(u.acts, u.modified(t, generators.Object(depending(t.dependencies...))))
}

// modifyFrees takes the only dependency on a step away, and then the step.
func modifyFrees(u *updater) act {
	t := u.step(u.mine(1))
	t.dependencies = slices.DeleteFunc(slices.Clone(t.dependencies), func(d string) bool { return d == u.mine(0) })
	u.acts = append(u.acts, u.modified(t, generators.Object(depending(t.dependencies...))))
	return u.removed(u.mine(0))
}

func dependTwice(u *updater) act {
	t, data := u.newTask()
	on := u.drawn[0].id
	for i := range u.drawn {
		if !u.drawn[i].role.isLeaf() {
			on = u.drawn[i].id
		}
	}
	t.dependencies = []string{on}
	data.Fields = append(data.Fields, depending(on, on))
	v := u.operation("add")
	v.Add("step_data", data)
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnDuplicateDependency}
	return a
}

// dataTraits are about step_data.
func dataTraits() []trait {
	row := generators.Family("data")
	one := []role{open}
	bad := func(name, what, theme string, fields ...generators.Field) trait {
		return trait{Trait: row(name, what).Says(theme, "edit"), steps: one, act: badData(harness.BadType, fields...)}
	}
	modifies := func(name, what, theme string, act func(u *updater) act) trait {
		return trait{Trait: needs(row(name, what).Says(theme, "modify"), "modify"), steps: one, act: act}
	}
	adds := func(name, what, theme string, act func(u *updater) act) trait {
		return trait{Trait: needs(row(name, what).Says(theme, "add"), "add"), act: act}
	}
	list := []trait{
		modifies("modify-id", "a modification changes the id of a step: extra_field", "id as a change", modifyID),
		modifies("modify-status", "a modification sets the status to completed: extra_field", "status as a change",
			modifyFixed("status", generators.Text("completed"), generators.Text("pending"), generators.Text("done"))),
		modifies("modify-unknown-member", "a modification has an unknown member: extra_field", "unknown member",
			modifyFixed("risk", generators.Text("low"), generators.Raw("7"), generators.Raw("[]"))),
		modifies("modify-same", "a modification changes no value: unchanged", "change of nothing", modifySame),
		{Trait: based(needs(row("modify-same-order",
			"a modification only reorders the members of the parameters: unchanged").Says("change of nothing", "modify"),
			"modify", "parameters")), steps: one, claim: texts, base: func(u *updater) {
			u.p.steps[u.index(u.mine(0))].parameters = `{"file":"doc.md","line":3,"k":{"n":1,"deep":[2]}}`
		}, act: func(u *updater) act {
			return u.idle(u.mine(0), generators.Object(field("parameters",
				generators.Raw(`{"k":{"deep":[2],"n":1},"line":3,"file":"doc.md"}`))))
		}},
		modifies("modify-empty", "a modification has no members: unchanged", "change of nothing",
			func(u *updater) act { return u.idle(u.mine(0), generators.Object()) }),
		modifies("modify-null", "the members of a modification are null: unchanged", "null", func(u *updater) act {
			return u.idle(u.mine(0), generators.Object(field("name", generators.Raw("null")),
				field("dependencies", generators.Raw("null"))))
		}),
		modifies("modify-clears", "a modification empties a list and a text: they become empty", "empty value", modifyClears),
		modifies("modify-parameters", "a modification sets other parameters: they replace the old ones", "parameters",
			func(u *updater) act {
				t := u.step(u.mine(0))
				t.parameters = `{"only":"this"}`
				return u.modified(t, generators.Object(field("parameters", generators.Raw(t.parameters))))
			}),
		adds("add-null-members", "optional members of an added step are null: treated as absent", "null", addNull),
		adds("add-unknown-member", "an added step has an unknown member: extra_field, or dropped", "unknown member",
			addUnknownMember),
		adds("add-finished", "an added step claims to be completed: it starts as pending, status_forced", "forged status",
			addStatus),
		adds("add-unnamed", "an added step has neither a name nor a description: missing_field", "step without a name",
			addUnnamed),
		adds("add-blank-id", "the id of an added step is blank: empty_id", "blank id", func(u *updater) act {
			id := generators.Pick(&u.Choices, []string{"", " ", "\u00a0\t"})
			return fails(u.adding(field("id", generators.Text(id)), u.named()), "add", "", harness.EmptyID)
		}),
		{
			Trait: row("blank-dependency", "a dependency is blank: empty_id").Says("blank dependency", "edit"), steps: one,
			act: badData(harness.EmptyID, depending(" ")),
		},
		{
			Trait: row("data-missing", "an operation has no step_data: missing_field").Says("no step_data", "edit"), steps: one,
			act: dataMissing,
		},
		adds("data-list", "step_data is not an object: bad_type", "wrong type", func(u *updater) act {
			v := u.operation("add")
			v.Add("step_data", generators.Raw(generators.Pick(&u.Choices, []string{`[{"name":"x"}]`, `"name"`, "7", "null"})))
			return fails(v, "add", "", harness.BadType)
		}),
		bad("name-number", "the name of a step is a number: bad_type", "wrong type", field("name", generators.Raw("7"))),
		bad("priority-text", "the priority of a step is a string: bad_type", "wrong type",
			field("priority", generators.Text("high"))),
		bad("parameters-list", "the parameters of a step are a list: bad_type", "wrong type",
			field("parameters", generators.Raw(`["k"]`))),
		bad("dependencies-text", "the dependencies of a step are a string: bad_type", "wrong type",
			field("dependencies", generators.Text("step_1"))),
		bad("dependency-number", "a dependency is a number: bad_type", "wrong type",
			field("dependencies", generators.Raw("[1]"))),
		bad("id-number", "the id of an added step is a number: bad_type", "wrong type", field("id", generators.Raw("4"))),
	}
	for i := range list {
		switch list[i].Name {
		case "add-null-members", "add-finished", "add-unknown-member":
			list[i].has |= sized
		case "priority-text":
			list[i].Needs = []string{"priority"}
		case "modify-parameters", "parameters-list":
			list[i].Needs = append(list[i].Needs, "parameters")
		}
	}
	return list
}

// badData writes an operation whose step_data has such members.
func badData(code harness.Code, fields ...generators.Field) func(u *updater) act {
	return func(u *updater) act {
		data := append([]generators.Field{field("description", generators.Text(u.phrase()))}, fields...)
		if u.OneIn(2) && !u.lacks("modify") || u.lacks("add") {
			return fails(u.modifying(u.mine(0), data...), "modify", "", code)
		}
		return fails(u.adding(data...), "add", "", code)
	}
}

func modifyID(u *updater) act {
	to := u.newStepID()
	if u.OneIn(2) {
		to = u.mine(0)
	}
	return fails(u.modifying(u.mine(0), field("id", generators.Text(to)), u.named()), "modify", u.mine(0),
		harness.ExtraField)
}

func modifyFixed(member string, values ...generators.Value) func(u *updater) act {
	return func(u *updater) act {
		return fails(u.modifying(u.mine(0), u.named(), field(member, generators.Pick(&u.Choices, values))), "modify",
			u.mine(0), harness.ExtraField)
	}
}

// idle writes a modification that changes nothing.
func (u *updater) idle(id string, data generators.Value) act {
	return act{doc: u.modifying(id, data.Fields...), kind: "modify", id: id, result: spec.Unchanged}
}

func modifySame(u *updater) act {
	t := u.step(u.mine(0))
	data := generators.Object(field("description", generators.Text(t.description)), depending(t.dependencies...))
	if t.parameters != "" {
		data.Add("parameters", generators.Raw(t.parameters))
	}
	return u.idle(t.id, data)
}

func modifyClears(u *updater) act {
	t, data := u.step(u.mine(0)), generators.Object(field("description", generators.Text("")), depending())
	if t.description == "" && len(t.dependencies) == 0 {
		return u.idle(t.id, data) // another trait left nothing to empty
	}
	t.description, t.dependencies = "", nil
	return u.modified(t, data)
}

func addNull(u *updater) act {
	t := task{id: u.generated(), name: u.phrase(), status: "pending"}
	null := generators.Raw("null")
	v := u.adding(field("id", null), field("name", generators.Text(t.name)), field("description", null),
		field("dependencies", null))
	v.Add("position", null)
	return u.insert(v, t, len(u.p.steps))
}

func addUnknownMember(u *updater) act {
	t, data := u.newTask()
	data.Add("risk", generators.Text("low"))
	v := u.operation("add")
	v.Add("step_data", data)
	if u.profile.ExtraFields != harness.Drop {
		return fails(v, "add", "", harness.ExtraField)
	}
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnUnknownField}
	return a
}

func addStatus(u *updater) act {
	t, data := u.newTask()
	data.Add("status", generators.Text(generators.Pick(&u.Choices, []string{"completed", "running", "Pending", "done"})))
	v := u.operation("add")
	v.Add("step_data", data)
	a := u.insert(v, t, len(u.p.steps))
	a.warnings = []string{harness.WarnStatusForced}
	return a
}

func addUnnamed(u *updater) act {
	if u.OneIn(2) {
		return fails(u.adding(field("description", generators.Text(" "))), "add", "", harness.MissingField)
	}
	return fails(u.adding(field("id", generators.Text(u.newStepID())), field("name", generators.Text(" ")),
		field("description", generators.Raw("null"))), "add", "", harness.MissingField)
}

func dataMissing(u *updater) act {
	if u.OneIn(2) && !u.lacks("modify") || u.lacks("add") {
		return fails(u.onStep("modify", u.mine(0)), "modify", "", harness.MissingField)
	}
	return fails(u.operation("add"), "add", "", harness.MissingField)
}

// shapeTraits are about an operation as such.
func shapeTraits() []trait {
	row := generators.Family("operations")
	one := []role{open}
	malformed := func(name, what, theme string, code harness.Code, texts ...string) trait {
		return trait{Trait: row(name, what).Says(theme, "edit"), has: raw, act: func(u *updater) act {
			return fails(generators.Raw(generators.Pick(&u.Choices, texts)), "", "", code)
		}}
	}
	return []trait{
		malformed("operation-null", "an operation is null: bad_type", "null", harness.BadType, "null"),
		malformed("operation-no-object", "an operation is not an object: bad_type", "wrong type", harness.BadType,
			`"remove step_1"`, "[]", "3"),
		malformed("type-missing", "an operation has no type: missing_field", "no type", harness.MissingField,
			`{"step_id":"step_1"}`, "{}"),
		malformed("type-no-text", "the type of an operation is not a string: bad_type", "wrong type", harness.BadType,
			`{"type":1,"step_id":"step_1"}`, `{"type":["move"]}`, `{"type":null,"step_id":"step_1"}`),
		{
			Trait: row("type-unknown", "the type of an operation is unknown: unknown_operation").Says("unknown type", "edit"),
			steps: one, act: func(u *updater) act {
				kind := generators.Pick(&u.Choices, []string{"replace", "delete", "update", "move", ""})
				return fails(u.onStep(kind, u.mine(0)), kind, "", harness.UnknownOperation)
			},
		},
		{Trait: row("type-case", "the type of an operation differs in case: unknown_operation").Says("type in another case",
			"edit"), steps: []role{leaf}, act: func(u *updater) act {
			kind := generators.Pick(&u.Choices, []string{"Remove", "REMOVE"})
			return fails(u.onStep(kind, u.mine(0)), kind, "", harness.UnknownOperation)
		}},
		{
			Trait: row("step-id-missing", "an operation has no step_id: missing_field").Says("no step_id", "edit"),
			act: func(u *updater) act {
				v, kind := u.onNone()
				return fails(v, kind, "", harness.MissingField)
			},
		},
		{
			Trait: row("step-id-blank", "the step_id of an operation is blank: empty_id").Says("blank id", "edit"),
			act:   idOfKind(harness.EmptyID, generators.Text(""), generators.Text(" ")),
		},
		{Trait: row("step-id-number", "the step_id of an operation is a number or null: bad_type").Says("wrong type",
			"edit"), act: idOfKind(harness.BadType, generators.Raw("1"), generators.Raw("[]"), generators.Raw("{}"),
			generators.Raw("null"))},
		sizing(trait{Trait: row("step-id-other-name",
			"an operation names its step with stepID, stepId or id: missing_field, or accepted").Says("another name for step_id", "remove"), steps: []role{leaf}, act: idOtherName}, "remove"),
		{Trait: needs(row("reason-number", "the reason of an operation is a number: bad_type").Says("wrong type", "reorder"),
			"reorder"), steps: one, act: func(u *updater) act {
			v := u.moving(u.mine(0), number(0))
			v.Put("reason", generators.Raw("1"))
			return fails(v, "reorder", "", harness.BadType)
		}},
		{
			Trait: needs(row("unused-member",
				"an operation has a member that its type does not use: unknown_field").Says("unknown member", "modify"), "modify"),
			steps: one, act: func(u *updater) act {
				a := u.modify(u.mine(0))
				a.doc.Add("position", number(0))
				a.warnings = []string{harness.WarnUnknownField}
				return a
			},
		},
		{
			Trait: needs(row("modify-twice",
				"the update modifies one step twice: the last value wins").Says("two changes of a step", "modify"), "modify"),
			steps: one, act: func(u *updater) act {
				u.acts = append(u.acts, u.modify(u.mine(0)))
				return u.modify(u.mine(0))
			},
		},
		{Trait: needs(row("modify-added", "the update modifies a step that it added").Says("added step", "modify"), "add",
			"modify"), has: sized, act: func(u *updater) act {
			id := u.newStepID()
			t := task{id: id, name: u.phrase(), status: "pending"}
			u.acts = append(u.acts, u.insert(u.adding(field("id", generators.Text(id)), field("name", generators.Text(t.name))),
				t, len(u.p.steps)))
			t.description = u.phrase()
			return u.modified(t, generators.Object(field("description", generators.Text(t.description))))
		}},
	}
}

// onNone writes an operation that names no step.
func (u *updater) onNone() (v generators.Value, kind string) {
	kinds := slices.DeleteFunc([]string{"modify", "remove", "reorder"}, u.lacks)
	if len(kinds) == 0 {
		kinds = []string{"remove"}
	}
	kind = generators.Pick(&u.Choices, kinds)
	v = u.aimed(kind, "x")
	v.Drop("step_id")
	return v, kind
}

func idOfKind(code harness.Code, ids ...generators.Value) func(u *updater) act {
	return func(u *updater) act {
		v, kind := u.onNone()
		v.Add("step_id", generators.Pick(&u.Choices, ids))
		return fails(v, kind, "", code)
	}
}

func idOtherName(u *updater) act {
	v := u.operation("remove")
	v.Add(generators.Pick(&u.Choices, []string{"stepID", "stepId", "id"}), generators.Text(u.mine(0)))
	if u.profile.StepIDNames != harness.Any {
		return fails(v, "remove", "", harness.MissingField)
	}
	a := u.removed(u.mine(0))
	a.doc = v
	return a
}
