package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
)

// aimed writes an operation of a kind on a step, sound in itself.
func (u *updater) aimed(kind, id string) generators.Value {
	switch kind {
	case "modify":
		return u.modifying(id, field("description", generators.Text(u.phrase())))
	case "reorder":
		return u.moving(id, number(0))
	}
	return u.onStep(kind, id)
}

// stepTraits are about the step that an operation names.
func stepTraits() []trait {
	row := generators.Family("steps")
	var list []trait
	verbs := []string{"modifies", "removes", "moves"}
	for i, kind := range []string{"modify", "remove", "reorder"} {
		verb := verbs[i]
		unknown := trait{Trait: row(kind+"-unknown", "the update "+verb+
			" an unknown step: unknown_step").Says("unknown step", kind), act: func(u *updater) act {
			id := u.newStepID()
			return fails(u.aimed(kind, id), harness.UnknownStep)
		}}
		completed := trait{Trait: row(kind+"-completed", "the update "+verb+
			" a completed step: done_immutable").Says("finished step", kind), steps: []role{done}, act: func(u *updater) act {
			return fails(u.aimed(kind, u.mine(0)), harness.DoneImmutable)
		}}
		if kind == "reorder" {
			completed.Text, completed.act, completed.knob = "the update moves a completed step: done_immutable, or it moves",
				moveCompleted, spec.ReorderDone().Name
		}
		unknown.Needs, completed.Needs = []string{kind}, []string{kind}
		list = append(list, unknown, completed)
	}
	return append(list,
		trait{Trait: needs(row("remove-needed",
			"the update removes a step that another step needs: dependents_exist, or the dependency is dropped or bridged").Says("needed step", "remove"), "remove"), steps: []role{open, held, behind}, has: sized, knob: "orphans", act: removeNeeded},
		trait{Trait: needs(row("remove-needed-by-done",
			"the update removes a step that a completed step depends on: dependents_exist").Says("step that finished work needs", "remove"), "remove"), steps: []role{held, doneBehind}, knob: "orphans", act: func(u *updater) act {
			return fails(u.aimed("remove", u.mine(0)), harness.DependentsExist)
		}},
		trait{Trait: needs(row("remove-needed-anew",
			"the update removes a step after it made another step depend on it: dependents_exist").Says("needed step",
			"remove"), "remove", "modify"), steps: []role{leaf, open}, knob: "orphans", act: func(u *updater) act {
			u.needAnew(1, 0)
			return fails(u.aimed("remove", u.mine(0)), harness.DependentsExist)
		}},
		trait{
			Trait: needs(row("remove-twice",
				"an operation names a step that the update already removed: unknown_step").Says("removed step", "edit"), "remove"),
			steps: []role{leaf}, has: sized, act: removeTwice,
		},
		trait{
			Trait: needs(row("remove-running",
				"the update removes a running step: the step and its result are removed").Says("running step", "remove"), "remove"),
			steps: []role{running}, has: sized, act: func(u *updater) act { return u.removed(u.mine(0)) },
		},
		trait{Trait: needs(row("modify-running",
			"the update modifies a running step: it keeps running, and its result is cleared").Says("running step", "modify"),
			"modify"), steps: []role{running}, act: func(u *updater) act { return u.modify(u.mine(0)) }},
		duplicate("add-existing-id", "the id of an open step", []role{open}, func(u *updater) string { return u.mine(0) }),
		duplicate("add-completed-id", "the id of a completed step", []role{done},
			func(u *updater) string { return u.mine(0) }),
		old(duplicate("add-old-id", "an id from an older version", nil, func(u *updater) string { return u.gone[0] })),
		sizing(duplicate("add-removed-id", "the id of a step that the update removed", []role{leaf}, func(u *updater) string {
			u.acts = append(u.acts, u.removed(u.mine(0)))
			return u.mine(0)
		}), "remove"),
		duplicate("add-spaced-id", "an existing id with leading or trailing white space", []role{open},
			func(u *updater) string { return " \n" + trimmed(u.mine(0)) + " " }),
	)
}

// old returns the trait with an older version of the plan.
func old(t trait) trait {
	t.old = true
	return t
}

// sizing returns the trait as one that changes the number of steps.
func sizing(t trait, needs string) trait {
	t.has |= sized
	t.Needs = append(t.Needs, needs)
	return t
}

// duplicate is a trait by which a new step has an id that is not free.
func duplicate(name, what string, steps []role, id func(*updater) string) trait {
	return trait{Trait: needs(generators.Family("steps")(name, "an added step has "+what+
		": duplicate_id").Says("duplicate id", "add"), "add"), steps: steps, act: func(u *updater) act {
		id := id(u)
		return fails(u.adding(field("id", generators.Text(id)), u.named()), harness.DuplicateID)
	}}
}

func removeTwice(u *updater) act {
	u.acts = append(u.acts, u.removed(u.mine(0)))
	kind := generators.Pick(&u.Choices, slices.DeleteFunc([]string{"modify", "remove", "reorder"}, u.lacks))
	return fails(u.aimed(kind, u.mine(0)), harness.UnknownStep)
}

// moveCompleted moves a completed step to the front, or back from there.
func moveCompleted(u *updater) act {
	to := 0
	if u.index(u.mine(0)) == 0 {
		to = len(u.p.steps) - 1
	}
	if spec.ReorderDone().Get(u.profile) == harness.Reject {
		return fails(u.moving(u.mine(0), number(to)), harness.DoneImmutable)
	}
	return u.movedOr(u.mine(0), to)
}

// removeNeeded removes a step on which exactly one other depends.
func removeNeeded(u *updater) act {
	id := u.mine(1)
	if u.profile.Orphans == harness.Reject {
		return fails(u.aimed("remove", id), harness.DependentsExist)
	}
	orphan := u.step(u.mine(2))
	orphan.dependencies = slices.DeleteFunc(slices.Clone(orphan.dependencies), func(d string) bool { return d == id })
	u.p.steps = slices.Clone(u.p.steps)
	u.p.steps[u.index(orphan.id)] = orphan
	return u.removed(id)
}
