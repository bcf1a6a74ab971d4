package generate

import (
	"slices"
	"strings"

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
	var list []trait
	verbs := map[string]string{"modify": "modifies", "remove": "removes", "reorder": "moves"}
	for _, kind := range []string{"modify", "remove", "reorder"} {
		row, verb := kinds("steps", kind), "the update "+verbs[kind]
		completed := row(kind+"-completed", verb+" a completed step: done_immutable", "finished step", done).
			refused(func(u *updater) generators.Value { return u.aimed(kind, u.mine(0)) })
		if kind == "reorder" {
			completed.Text += ", or it moves"
			completed = completed.does(moveCompleted).deciding(spec.ReorderDone().Name)
		}
		list = append(list, row(kind+"-unknown", verb+" an unknown step: unknown_step", "unknown step").
			refused(func(u *updater) generators.Value { return u.aimed(kind, u.newStepID()) }), completed)
	}
	remove, modify := kinds("steps", "remove"), kinds("steps", "modify")
	mine := func(u *updater) string { return u.mine(0) }
	olden := duplicate("add-old-id", "an id from an older version", func(u *updater) string { return u.gone[0] })
	olden.old = true
	return append(list,
		remove("remove-needed", "the update removes a step that another step needs: dependents_exist, or the dependency is "+
			"dropped or bridged", "needed step", open, held, behind).sizing().deciding("orphans").does(removeNeeded),
		remove("remove-needed-by-done", "the update removes a step that a completed step depends on: dependents_exist",
			"step that finished work needs", held, doneBehind).deciding("orphans").
			refused(func(u *updater) generators.Value { return u.aimed("remove", u.mine(0)) }),
		remove("remove-needed-anew",
			"the update removes a step after it made another step depend on it: dependents_exist", "needed step", leaf, open).
			needing("modify").deciding("orphans").refused(func(u *updater) generators.Value {
			u.needAnew(1, 0)
			return u.aimed("remove", u.mine(0))
		}),
		rows("steps", "edit")("remove-twice", "an operation names a step that the update already removed: unknown_step",
			"removed step", leaf).needing("remove").sizing().refused(removeTwice),
		remove("remove-running", "the update removes a running step: the step and its result are removed", "running step",
			running).sizing().does(func(u *updater) act { return u.removed(u.mine(0)) }),
		modify("modify-running", "the update modifies a running step: it keeps running, and its result is cleared",
			"running step", running).does(func(u *updater) act { return u.modify(u.mine(0)) }),
		duplicate("add-existing-id", "the id of an open step", mine, open),
		duplicate("add-completed-id", "the id of a completed step", mine, done),
		olden,
		duplicate("add-removed-id", "the id of a step that the update removed", func(u *updater) string {
			u.do(u.removed(u.mine(0)))
			return u.mine(0)
		}, leaf).sizing().needing("remove"),
		duplicate("add-spaced-id", "an existing id with leading or trailing white space",
			func(u *updater) string { return " \n" + strings.TrimSpace(u.mine(0)) + " " }, open),
	)
}

// duplicate is a trait by which a new step has an id that is not free.
func duplicate(name, what string, id func(*updater) string, steps ...role) trait {
	return kinds("steps", "add")(name, "an added step has "+what+": duplicate_id", "duplicate id", steps...).
		refused(func(u *updater) generators.Value {
			return u.adding(field("id", generators.Text(id(u))), u.named())
		})
}

func removeTwice(u *updater) generators.Value {
	u.do(u.removed(u.mine(0)))
	kind := generators.Pick(&u.Choices, slices.DeleteFunc([]string{"modify", "remove", "reorder"}, u.Lacks))
	return u.aimed(kind, u.mine(0))
}

// moveCompleted moves a completed step to the front, or back from there.
func moveCompleted(u *updater) act {
	to := 0
	if u.index(u.mine(0)) == 0 {
		to = len(u.p.steps) - 1
	}
	if spec.ReorderDone().Get(u.Profile) == harness.Reject {
		return fails(u.moving(u.mine(0), number(to)), harness.DoneImmutable)
	}
	return u.movedOr(u.mine(0), to)
}

// removeNeeded removes a step on which exactly one other depends.
func removeNeeded(u *updater) act {
	id := u.mine(1)
	if u.Profile.Orphans == harness.Reject {
		return fails(u.aimed("remove", id), harness.DependentsExist)
	}
	return u.removed(id)
}
