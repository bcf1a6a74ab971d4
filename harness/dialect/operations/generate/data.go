package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
)

// graphTraits are about what steps depend on, and how many there may be.
func graphTraits() []trait {
	adds, modifies := kinds("graph", "add"), kinds("graph", "modify")
	// added depends on a step that is not there.
	added := func(name, text, theme string, on func(u *updater) string, steps ...role) trait {
		return adds(name, text, theme, steps...).sizing().
			does(func(u *updater) act { return u.addDepending(on(u)) })
	}
	// modified makes the trait's step depend on another.
	modified := func(name, text, theme string, on func(u *updater) string, steps ...role) trait {
		return modifies(name, text, theme, steps...).
			refused(func(u *updater) generators.Value { on := on(u); return u.modifying(u.mine(0), depending(on)) })
	}
	mine := func(k int) func(u *updater) string { return func(u *updater) string { return u.mine(k) } }
	const alone = "step that depends on itself"
	return []trait{
		added("add-unknown-dependency", "an added step depends on an unknown step: missing_dependency",
			"unknown dependency", (*updater).newStepID),
		added("add-removed-dependency", "an added step depends on a step that the update removed: missing_dependency",
			"removed dependency", func(u *updater) string {
				u.do(u.removed(u.mine(0)))
				return u.mine(0)
			}, leaf).needing("remove"),
		adds("add-forward-dependency", "an added step depends on a later addition: missing_dependency", "later dependency").
			sizing().does(addForward),
		adds("add-self-dependency", "an added step depends on itself: dependency_cycle", alone).sizing().
			refused(func(u *updater) generators.Value {
				id := u.newStepID()
				return u.adding(field("id", generators.Text(id)), u.named(), depending(id))
			}),
		modified("modify-unknown-dependency", "a modification adds a dependency on an unknown step: missing_dependency",
			"unknown dependency", (*updater).newStepID, open),
		modified("modify-self-dependency", "a modification makes a step depend on itself: dependency_cycle", alone, mine(0),
			open),
		modified("modify-cycle", "a modification makes a step depend on one that depends on it: dependency_cycle", "cycle",
			mine(1), needed, behind),
		modified("modify-long-cycle", "a modification closes a cycle of three steps or more: dependency_cycle", "cycle",
			mine(2), needed, behind, behind),
		modifies("modify-cycle-of-two", "two modifications close a cycle together: the second fails with dependency_cycle",
			"cycle", leaf, open).does(func(u *updater) act {
			u.needAnew(1, 0)
			return fails(u.modifying(u.mine(0), depending(u.mine(1))), harness.DependencyCycle)
		}),
		modifies("modify-frees", "a modification drops a dependency on a step that is then removed", "freed step", held,
			behind).sizing().needing("remove").does(modifyFrees),
		adds("duplicate-dependency", "a dependency is listed twice: it is kept once", "duplicate dependency").sizing().
			does(dependTwice),
		adds("over-capacity", "a step is added to a full plan: over_capacity", "full plan").needing("max_plan_steps").
			keeping().first(func(u *updater) { u.limit = max(1, len(u.p.steps)-u.Below(2)) }).
			refused(func(u *updater) generators.Value { return u.adding(u.named()) }),
		adds("limit-met", "an added step makes the plan full: applied", "limit met").needing("max_plan_steps").
			keeping().first(func(u *updater) { u.limit = len(u.p.steps) + 1 }).does((*updater).add),
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
	u.do(u.addDepending(later))
	return u.insert(u.adding(field("id", generators.Text(later)), field("name", generators.Text("later"))),
		later, len(u.p.steps))
}

// needAnew makes one of the trait's steps depend on another of them.
func (u *updater) needAnew(one, other int) {
	t := u.step(u.mine(one))
	t.dependencies = append(slices.Clone(t.dependencies), u.mine(other))
	u.do(u.modified(t, generators.Object(depending(t.dependencies...))))
}

// modifyFrees takes the only dependency on a step away, and then the step.
func modifyFrees(u *updater) act {
	t := u.step(u.mine(1))
	t.dependencies = slices.DeleteFunc(slices.Clone(t.dependencies), func(d string) bool { return d == u.mine(0) })
	u.do(u.modified(t, generators.Object(depending(t.dependencies...))))
	return u.removed(u.mine(0))
}

func dependTwice(u *updater) act {
	id, data := u.newStep()
	on := u.drawn[0].id
	for i := range u.drawn {
		if !u.drawn[i].role.isLeaf() {
			on = u.drawn[i].id
		}
	}
	data.Fields = append(data.Fields, depending(on, on))
	return u.insert(u.adding(data.Fields...), id, len(u.p.steps))
}

// dataTraits are about step_data.
func dataTraits() []trait {
	adds, modifies := kinds("data", "add"), kinds("data", "modify")
	// idle is a modification that changes nothing.
	idle := func(name, text, theme string, data func(u *updater) []generators.Field) trait {
		return modifies(name, text, theme, open).does(func(u *updater) act { return u.idle(u.mine(0), data(u)...) })
	}
	const nothing = "change of nothing"
	return []trait{
		modifies("modify-id", "a modification changes the id of a step: extra_field", "id as a change", open).
			refused(func(u *updater) generators.Value {
				to := u.newStepID()
				if u.OneIn(2) {
					to = u.mine(0)
				}
				return u.modifying(u.mine(0), field("id", generators.Text(to)), u.named())
			}),
		modifies("modify-status", "a modification sets the status to completed: extra_field", "status as a change", open).
			refused(func(u *updater) generators.Value {
				name, status := u.named(), generators.Pick(&u.Choices, []string{"completed", "pending", "done"})
				return u.modifying(u.mine(0), name, field("status", generators.Text(status)))
			}),
		idle("modify-same", "a modification changes no value: unchanged", nothing, func(u *updater) []generators.Field {
			t := u.step(u.mine(0))
			data := []generators.Field{field("description", generators.Text(t.description)), depending(t.dependencies...)}
			if t.parameters != "" {
				data = append(data, field("parameters", generators.Raw(t.parameters)))
			}
			return data
		}),
		idle("modify-same-order", "a modification only reorders the members of the parameters: unchanged", nothing,
			func(*updater) []generators.Field {
				return []generators.Field{field("parameters",
					generators.Raw(`{"k":{"deep":[2],"n":1},"line":3,"file":"doc.md"}`))}
			}).needing("parameters").claiming(texts).based(func(u *updater) {
			u.p.steps[u.index(u.mine(0))].parameters = `{"file":"doc.md","line":3,"k":{"n":1,"deep":[2]}}`
		}),
		idle("modify-empty", "a modification has no members: unchanged", nothing,
			func(*updater) []generators.Field { return nil }),
		idle("modify-null", "the members of a modification are null: unchanged", "null", func(*updater) []generators.Field {
			return []generators.Field{field("name", null), field("dependencies", null)}
		}),
		modifies("modify-clears", "a modification empties a list and a text: they become empty", "empty value", open).
			does(modifyClears),
		modifies("modify-parameters", "a modification sets other parameters: they replace the old ones", "parameters", open).
			needing("parameters").does(func(u *updater) act {
			t := u.step(u.mine(0))
			t.parameters = `{"only":"this"}`
			return u.modified(t, generators.Object(field("parameters", generators.Raw(t.parameters))))
		}),
		adds("add-finished", "an added step claims to be completed: it starts as pending, status_forced", "forged status").
			sizing().does(addStatus),
		adds("add-unnamed", "an added step has neither a name nor a description: missing_field", "step without a name").
			refused(func(u *updater) generators.Value {
				if u.OneIn(2) {
					return u.adding(field("description", generators.Text(" ")))
				}
				return u.adding(field("id", generators.Text(u.newStepID())), field("name", generators.Text(" ")),
					field("description", null))
			}),
	}
}

// idle writes a modification that changes nothing.
func (u *updater) idle(id string, data ...generators.Field) act {
	return act{u.modifying(id, data...), spec.Unchanged}
}

func modifyClears(u *updater) act {
	t, data := u.step(u.mine(0)), []generators.Field{field("description", generators.Text("")), depending()}
	if t.description == "" && len(t.dependencies) == 0 {
		return u.idle(t.id, data...) // another trait left nothing to empty
	}
	t.description, t.dependencies = "", nil
	return u.modified(t, generators.Object(data...))
}

func addStatus(u *updater) act {
	id, data := u.newStep()
	data.Add("status", generators.Text(generators.Pick(&u.Choices, []string{"completed", "running", "Pending", "done"})))
	return u.insert(u.adding(data.Fields...), id, len(u.p.steps))
}

// shapeTraits are about an operation as such.
func shapeTraits() []trait {
	modify := kinds("operations", "modify")
	added := rows("operations", "modify")("modify-added", "the update modifies a step that it added", "added step")
	return []trait{
		kinds("operations", "remove")("step-id-other-name",
			"an operation names its step with stepID, stepId or id: missing_field, or accepted",
			"another name for step_id", leaf).sizing().does(idOtherName),
		modify("modify-twice", "the update modifies one step twice: the last value wins", "two changes of a step", open).
			does(func(u *updater) act {
				u.do(u.modify(u.mine(0)))
				return u.modify(u.mine(0))
			}),
		added.needing("add", "modify").sizing().does(func(u *updater) act {
			id := u.newStepID()
			v := u.adding(field("id", generators.Text(id)), u.named())
			u.do(u.insert(v, id, len(u.p.steps)))
			return act{u.modifying(id, field("description", generators.Text(u.phrase()))), spec.Applied}
		}),
	}
}

func idOtherName(u *updater) act {
	v := u.operation("remove")
	v.Add(generators.Pick(&u.Choices, spec.IDNames()[1:]), generators.Text(u.mine(0)))
	if u.Profile.StepIDNames != harness.Any {
		return fails(v, harness.MissingField)
	}
	a := u.removed(u.mine(0))
	a.doc = v
	return a
}
