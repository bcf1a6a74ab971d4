package generate

import (
	"slices"
	"sync"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/words"
)

// updateFault is a fault of the dialect operations: of an operation, of a reply,
// or of the case as a whole.
type updateFault struct {
	generators.Trait
	// prepare gives the case what the fault needs, before its plan is written.
	prepare func(u *updater)
	// act writes an operation; it returns false, and changes nothing, where the
	// plan has no place for it.
	act func(u *updater) (act, bool)
	// reply changes how an update is written, and returns what that does to the
	// label; false is as for an act.
	reply func(u *updater) (effect, bool)
	// spoil changes the case, and returns the code that it is refused with.
	spoil func(u *updater) harness.Code
	// silent says that the case has no replies.
	silent bool
}

// effect is what a fault of a reply does to the label.
type effect struct {
	code  harness.Code       // with which the reply is refused; "" if it is not
	takes generators.Ability // what reading takes to get past it; 0 is that it cannot
}

// faults are those of the dialect, made once and never written.
var faults = sync.OnceValue(func() []updateFault {
	return slices.Concat(
		stepFaults(), positionFaults(), graphFaults(), dataFaults(), shapeFaults(),
		replyFaults(), surroundUpdateFaults(), recordFaults(),
	)
})

// Clashes: each update is written in one way, and of what is wrong with a case
// as a whole one thing is enough. Operations never stand in each other's way.
func (f updateFault) Clashes(g updateFault) bool { return f.act == nil && g.act == nil }

// fails makes the record of an operation that fails.
func fails(v generators.Value, kind, id string, code harness.Code) (act, bool) {
	return act{doc: v, kind: kind, id: id, result: string(code)}, true
}

func needFinished(u *updater) { u.ensure(true, false, false) }
func needOpen(u *updater)     { u.ensure(false, true, false) }
func needChain(u *updater)    { u.ensure(false, true, true) }
func needBoth(u *updater)     { u.ensure(true, true, false) }

// aimed writes an operation of a kind on a step, sound in itself.
func (u *updater) aimed(kind, id string) generators.Value {
	v := u.onStep(kind, id)
	switch kind {
	case "modify":
		v.Add("step_data", generators.Object(generators.Field{Name: "description", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}))
	case "reorder":
		v.Add("position", generators.Raw("0"))
	}
	return v
}

// stepFaults are about the step that an operation names.
func stepFaults() []updateFault {
	fault := generators.Family("steps")
	var list []updateFault
	for _, kind := range []string{"modify", "remove", "reorder"} {
		list = append(list,
			updateFault{Trait: fault(kind+"-unknown", kind+" of a step that the plan does not have: unknown_step"), act: func(u *updater) (act, bool) {
				id := u.newStepID()
				return fails(u.aimed(kind, id), kind, id, harness.UnknownStep)
			}},
			updateFault{Trait: fault(kind+"-completed", kind+" of a completed step: done_immutable"), prepare: needFinished, act: func(u *updater) (act, bool) {
				i := u.pickTask(isFinished)
				if i < 0 {
					return act{}, false
				}
				id := u.p.steps[i].id
				return fails(u.aimed(kind, id), kind, id, harness.DoneImmutable)
			}},
		)
	}
	return append(list,
		updateFault{Trait: fault("remove-needed", "a step is removed that others depend on: dependents_exist"), prepare: needChain, act: removeNeeded},
		updateFault{Trait: fault("remove-twice", "a step is named that the same update removed: unknown_step"), prepare: needBoth, act: removeTwice},
		updateFault{Trait: fault("remove-running", "a step under way is removed: it goes, and its result"), prepare: needOpen, act: removeRunning},
		duplicate("add-existing-id", "the id of an open step", func(u *updater) (string, bool) { return u.idOf(isOpen) }, needOpen),
		duplicate("add-completed-id", "the id of a completed step, which it would shadow", func(u *updater) (string, bool) { return u.idOf(isFinished) }, needFinished),
		duplicate("add-old-id", "an id of an older version", (*updater).oldID, nil),
		duplicate("add-removed-id", "the id of a step that the same update found and removed", (*updater).removedID, nil),
		duplicate("add-spaced-id", "an id of the plan with white space round it", (*updater).spacedID, nil),
	)
}

// onOpen makes an operation on an open step.
func onOpen(write func(u *updater, id string) (act, bool)) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		id, ok := u.idOf(isOpen)
		if !ok {
			return act{}, false
		}
		return write(u, id)
	}
}

// withRoom makes an operation where the plan takes another step.
func withRoom(write func(u *updater) (act, bool)) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		if u.full() {
			return act{}, false
		}
		return write(u)
	}
}

func (u *updater) idOf(which func(*task) bool) (string, bool) {
	i := u.pickTask(which)
	if i < 0 {
		return "", false
	}
	return u.p.steps[i].id, true
}

func (u *updater) oldID() (string, bool) {
	stands := func(id string) bool {
		return slices.ContainsFunc(u.p.steps, func(t task) bool { return trimmed(t.id) == id })
	}
	gone := slices.DeleteFunc(slices.Clone(u.given), stands)
	if len(gone) == 0 {
		return "", false
	}
	return generators.Pick(&u.Choices, gone), true
}

func (u *updater) removedID() (string, bool) {
	if a, ok := u.remove(); ok {
		u.acts = append(u.acts, a)
		return a.id, slices.Contains(u.found, trimmed(a.id))
	}
	return "", false
}

func (u *updater) spacedID() (string, bool) {
	return " \n" + trimmed(u.p.steps[u.Below(len(u.p.steps))].id) + " ", true
}

// duplicate is a fault by which a new step has an id that is not free.
func duplicate(name, what string, id func(*updater) (string, bool), prepare func(*updater)) updateFault {
	return updateFault{Trait: generators.Family("steps")(name, "an added step has "+what+": duplicate_id"), prepare: prepare, act: func(u *updater) (act, bool) {
		id, ok := id(u)
		if !ok {
			return act{}, false
		}
		v := u.operation("add")
		v.Add("step_data", generators.Object(generators.Field{Name: "id", Value: generators.Text(id)}, generators.Field{Name: "name", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}))
		return fails(v, "add", "", harness.DuplicateID)
	}}
}

func removeNeeded(u *updater) (act, bool) {
	i := u.pickTask(func(t *task) bool { return isOpen(t) && u.isNeeded(t) })
	if i < 0 {
		return act{}, false
	}
	id := u.p.steps[i].id
	return fails(u.aimed("remove", id), "remove", id, harness.DependentsExist)
}

func removeTwice(u *updater) (act, bool) {
	a, ok := u.remove()
	if !ok {
		return act{}, false
	}
	u.acts = append(u.acts, a)
	kind := generators.Pick(&u.Choices, []string{"modify", "remove", "reorder"})
	return fails(u.aimed(kind, a.id), kind, "", harness.UnknownStep)
}

func removeRunning(u *updater) (act, bool) {
	i := u.pickTask(func(t *task) bool { return t.status == "running" && !u.isNeeded(t) })
	if i < 0 || len(u.p.steps) == 1 {
		return act{}, false
	}
	return u.removed(i), true
}

// positionFaults are about where a step goes.
func positionFaults() []updateFault {
	fault := generators.Family("positions")
	row := func(name, what string, act func(u *updater) (act, bool)) updateFault {
		return updateFault{Trait: fault(name, what), prepare: needOpen, act: act}
	}
	return []updateFault{
		row("add-beyond", "a step is added beyond the end: it goes to the end, position_ignored", addOutside(func(n int) int { return n + 1 })),
		row("add-negative", "a step is added at a negative position: it goes to the end, position_ignored", addOutside(func(int) int { return -1 })),
		row("reorder-beyond", "a step is moved beyond the last index: unchanged", reorderOutside(func(n int) int { return n })),
		row("reorder-negative", "a step is moved to a negative position: unchanged", reorderOutside(func(int) int { return -1 })),
		row("reorder-same", "a step is moved to where it is: unchanged", reorderSame),
		row("reorder-to-end", "a step is moved to the last index: it stands last", reorderToEnd),
		row("reorder-before-dependency", "a step is moved before one that it depends on: the order of the list says nothing of that", reorderBefore),
		row("reorder-without-position", "a step is moved nowhere: missing_field, or bad_type for null", onOpen(reorderNowhere)),
		row("position-text", "a position is a text of digits: bad_type, or taken", positionText),
		row("position-words", "a position only begins with a number: bad_type", positionOf(`"2abc"`, `" 1"`, `"1st"`, `"-1"`, `"first"`, `""`, `"before"`)),
		row("position-fraction", "a position has a fraction: bad_type", positionOf("0.5", "1.25")),
		row("position-kind", "a position is no number: bad_type", positionOf("[1]", "true", `{"index":1}`)),
		row("position-anchor", "a position names another step: bad_type, or taken", positionAnchor),
		row("position-anchor-unknown", "a position names a step that is not there: bad_type, or position_ignored", positionAnchorUnknown),
	}
}

func addOutside(at func(n int) int) func(u *updater) (act, bool) {
	return withRoom(func(u *updater) (act, bool) {
		t, data := u.newTask()
		v := u.operation("add")
		v.Add("position", number(at(len(u.p.steps))))
		v.Add("step_data", data)
		a := u.insert(v, t, len(u.p.steps))
		a.warnings = []string{harness.WarnPositionIgnored}
		return a, true
	})
}

// stay makes the record of an operation that changes nothing.
func stay(v generators.Value, id string, warnings ...string) (act, bool) {
	return act{doc: v, kind: "reorder", id: id, result: words.Unchanged, warnings: warnings}, true
}

func reorderOutside(to func(n int) int) func(u *updater) (act, bool) {
	return onOpen(func(u *updater, id string) (act, bool) {
		v := u.onStep("reorder", id)
		v.Add("position", number(to(len(u.p.steps))))
		return stay(v, id, harness.WarnPositionIgnored)
	})
}

func reorderSame(u *updater) (act, bool) {
	i := u.pickTask(isOpen)
	if i < 0 {
		return act{}, false
	}
	v := u.onStep("reorder", u.p.steps[i].id)
	v.Add("position", number(i))
	return stay(v, u.p.steps[i].id)
}

func reorderToEnd(u *updater) (act, bool) {
	last := len(u.p.steps) - 1
	i := u.pickTask(isOpen)
	if i < 0 || i == last {
		return act{}, false
	}
	return u.moved(i, last), true
}

func reorderBefore(u *updater) (act, bool) {
	index := func(id string) int { return slices.IndexFunc(u.p.steps, func(t task) bool { return t.id == id }) }
	i := u.pickTask(func(t *task) bool {
		return isOpen(t) && slices.ContainsFunc(t.dependencies, func(d string) bool { return index(d) < index(t.id) })
	})
	if i < 0 {
		return act{}, false
	}
	d := slices.IndexFunc(u.p.steps[i].dependencies, func(d string) bool { return index(d) < i })
	return u.moved(i, index(u.p.steps[i].dependencies[d])), true
}

func reorderNowhere(u *updater, id string) (act, bool) {
	v := u.onStep("reorder", id)
	if u.OneIn(2) {
		v.Add("position", generators.Raw("null"))
		return fails(v, "reorder", "", harness.BadType)
	}
	return fails(v, "reorder", "", harness.MissingField)
}

// placed writes an operation with a position as it stands.
func (u *updater) placed(position generators.Value) (v generators.Value, kind string) {
	id, ok := u.idOf(isOpen)
	if ok && u.OneIn(2) {
		v = u.onStep("reorder", id)
		v.Add("position", position)
		return v, "reorder"
	}
	v = u.operation("add")
	v.Add("position", position)
	v.Add("step_data", generators.Object(generators.Field{Name: "name", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}))
	return v, "add"
}

func positionOf(texts ...string) func(u *updater) (act, bool) {
	return func(u *updater) (act, bool) {
		v, kind := u.placed(generators.Raw(generators.Pick(&u.Choices, texts)))
		return fails(v, kind, "", harness.BadType)
	}
}

// positionText puts the number of a sound position into quotes.
func positionText(u *updater) (act, bool) {
	if u.profile.Positions != harness.Any {
		return positionOf(`"0"`, `"2"`, `"007"`)(u)
	}
	i := u.pickTask(isOpen)
	if i < 0 {
		return act{}, false
	}
	if i == 0 {
		v := u.onStep("reorder", u.p.steps[0].id)
		v.Add("position", generators.Text("000"))
		return stay(v, u.p.steps[0].id)
	}
	a := u.moved(i, 0)
	set(&a.doc, "position", generators.Text("00"))
	return a, true
}

func positionAnchor(u *updater) (act, bool) {
	other := u.p.steps[u.Below(len(u.p.steps))].id
	if u.profile.Positions != harness.Any {
		v, kind := u.placed(generators.Text("after:" + other))
		return fails(v, kind, "", harness.BadType)
	}
	if u.full() {
		return act{}, false
	}
	t, data := u.newTask()
	at := slices.IndexFunc(u.p.steps, func(t task) bool { return t.id == other })
	side := generators.Pick(&u.Choices, []string{"before", "after"})
	v := u.operation("add")
	v.Add("position", generators.Text(side+":"+u.spelt(other)))
	v.Add("step_data", data)
	if side == "after" {
		at++
	}
	return u.insert(v, t, at), true
}

func positionAnchorUnknown(u *updater) (act, bool) {
	position := generators.Text("before:" + u.newStepID())
	if u.profile.Positions != harness.Any {
		v, kind := u.placed(position)
		return fails(v, kind, "", harness.BadType)
	}
	id, ok := u.idOf(isOpen)
	if !ok {
		return act{}, false
	}
	v := u.onStep("reorder", id)
	v.Add("position", position)
	return stay(v, id, harness.WarnPositionIgnored)
}
