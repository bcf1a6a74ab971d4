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
		act:  func(u *updater) act { return fails(u.adding(u.named()), harness.OverCapacity) },
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
				return fails(u.adding(field("id", generators.Text(id)), u.named(), depending(id)), harness.DependencyCycle)
			}),
		modifies("modify-unknown-dependency", "a modification adds a dependency on an unknown step: missing_dependency",
			"unknown dependency", []role{open}, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.newStepID())), harness.MissingDependency)
			}),
		modifies("modify-self-dependency", "a modification makes a step depend on itself: dependency_cycle",
			"step that depends on itself", []role{open}, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.mine(0))), harness.DependencyCycle)
			}),
		modifies("modify-cycle", "a modification makes a step depend on one that depends on it: dependency_cycle", "cycle",
			chain, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.mine(1))), harness.DependencyCycle)
			}),
		modifies("modify-long-cycle", "a modification closes a cycle of three steps or more: dependency_cycle", "cycle",
			[]role{needed, behind, behind}, func(u *updater) act {
				return fails(u.modifying(u.mine(0), depending(u.mine(2))), harness.DependencyCycle)
			}),
		modifies("modify-cycle-of-two", "two modifications close a cycle together: the second fails with dependency_cycle",
			"cycle", []role{leaf, open}, func(u *updater) act {
				u.needAnew(1, 0)
				return fails(u.modifying(u.mine(0), depending(u.mine(1))), harness.DependencyCycle)
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
	return fails(u.adding(field("id", generators.Text(id)), u.named(), depending(on)), harness.MissingDependency)
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
	return u.insert(v, t, len(u.p.steps))
}

// dataTraits are about step_data.
func dataTraits() []trait {
	row := generators.Family("data")
	one := []role{open}
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
		adds("add-finished", "an added step claims to be completed: it starts as pending, status_forced", "forged status",
			addStatus),
		adds("add-unnamed", "an added step has neither a name nor a description: missing_field", "step without a name",
			addUnnamed),
	}
	for i := range list {
		switch list[i].Name {
		case "add-finished":
			list[i].has |= sized
		case "modify-parameters":
			list[i].Needs = append(list[i].Needs, "parameters")
		}
	}
	return list
}

func modifyID(u *updater) act {
	to := u.newStepID()
	if u.OneIn(2) {
		to = u.mine(0)
	}
	return fails(u.modifying(u.mine(0), field("id", generators.Text(to)), u.named()), harness.ExtraField)
}

func modifyFixed(member string, values ...generators.Value) func(u *updater) act {
	return func(u *updater) act {
		return fails(u.modifying(u.mine(0), u.named(), field(member, generators.Pick(&u.Choices, values))), harness.ExtraField)
	}
}

// idle writes a modification that changes nothing.
func (u *updater) idle(id string, data generators.Value) act {
	return act{u.modifying(id, data.Fields...), spec.Unchanged}
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

func addStatus(u *updater) act {
	t, data := u.newTask()
	data.Add("status", generators.Text(generators.Pick(&u.Choices, []string{"completed", "running", "Pending", "done"})))
	v := u.operation("add")
	v.Add("step_data", data)
	return u.insert(v, t, len(u.p.steps))
}

func addUnnamed(u *updater) act {
	if u.OneIn(2) {
		return fails(u.adding(field("description", generators.Text(" "))), harness.MissingField)
	}
	return fails(u.adding(field("id", generators.Text(u.newStepID())), field("name", generators.Text(" ")),
		field("description", generators.Raw("null"))), harness.MissingField)
}

// shapeTraits are about an operation as such.
func shapeTraits() []trait {
	row := generators.Family("operations")
	one := []role{open}
	return []trait{
		sizing(trait{Trait: row("step-id-other-name",
			"an operation names its step with stepID, stepId or id: missing_field, or accepted").Says("another name for step_id", "remove"), steps: []role{leaf}, act: idOtherName}, "remove"),
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

func idOtherName(u *updater) act {
	v := u.operation("remove")
	v.Add(generators.Pick(&u.Choices, []string{"stepID", "stepId", "id"}), generators.Text(u.mine(0)))
	if u.profile.StepIDNames != harness.Any {
		return fails(v, harness.MissingField)
	}
	a := u.removed(u.mine(0))
	a.doc = v
	return a
}
