package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// finishedFaults touch work that is done, which no edit may change.
func finishedFaults() []patchTrait {
	fault := generators.Family("finished")
	return []patchTrait{
		{
			Trait: fault("done-update", "the patch updates a finished step: done_immutable").Says("done step", "update"),
			kind:  inPatch, done: 1, puts: updates, plant: onDone(doneUpdate),
		},
		{
			Trait: fault("done-remove", "the patch removes a finished step: done_immutable").Says("done step", "remove"),
			kind:  inPatch, done: 1, puts: removes, plant: onDone(doneRemove),
		},
		{
			Trait: fault("done-readd", "the patch adds a finished step again: duplicate_id").Says("done step", "add"),
			kind:  inPatch, done: 1, puts: adds, plant: onDone(doneReadd),
		},
		{
			Trait: fault("done-replace",
				"the patch removes and adds a finished step: id_conflict under reject, duplicate_id under keep, done_immutable "+
					"under replace").Says("done step", "remove and add"),
			kind: inPatch, done: 1, puts: removes | adds, plant: onDone(doneReplace),
		},
		{
			Trait: fault("status-done-in-add",
				"an added step claims to be done: it starts as pending").Says("status done", "add"),
			kind: inPatch, puts: adds, plant: statusDoneInAdd,
		},
		{
			Trait: fault("status-odd-in-add",
				"an added step has a status other than pending and done: it starts as pending").Says("odd status", "add"),
			kind: inPatch, puts: adds, plant: statusOddInAdd,
		},
		{
			Trait: fault("full-drops-done",
				"a full plan leaves out a finished step: it is restored, except under by_id").Says("done step left out",
				"full plan"),
			kind: inFullPlan, done: 1, rules: restoring, claims: aSteps, plant: onCarried(fullDropsDone),
		},
		{
			Trait: fault("full-drops-all-done",
				"a full plan leaves out every finished step: they are restored, except under by_id").Says("done steps left out",
				"full plan"),
			kind: inFullPlan, done: 2, rules: restoring, claims: aSteps | aDone, plant: fullDropsAllDone,
		},
		{
			Trait: fault("full-drops-blocker",
				"a full plan leaves out an open step that a finished step depends on: missing_dependency").Says(
				"open step left out that a done one needs", "full plan").InBase(),
			kind: inFullPlan, done: 2, claims: aSteps, plant: fullDropsBlocker,
		},
		{
			Trait: fault("full-renames-done",
				"a full plan renames a finished step: it is restored next to the renamed one, except under by_id").Says(
				"done step with another id", "full plan"),
			kind: inFullPlan, done: 1, rules: restoring, claims: aSteps, plant: onCarried(fullRenamesDone),
		},
		{
			Trait: fault("full-reuses-done",
				"a full plan reuses the id of a finished step for other work: the finished step stays").Says(
				"done step with other words", "full plan"),
			kind: inFullPlan, done: 1, claims: aSteps, plant: onCarried(fullReusesDone),
		},
		{
			Trait: fault("full-reopens-done",
				"a full plan reopens a finished step: it stays done").Says("done step with another status", "full plan"),
			kind: inFullPlan, done: 1, plant: onCarried(fullReopensDone),
		},
		{
			Trait: fault("full-cuts-done",
				"a full plan exceeds the limit and ends with finished steps: the last unfinished step is dropped").Says(
				"done steps beyond the limit", "full plan"),
			kind: inFullPlan, done: 2, claims: aSteps | aLimit | aDone, plant: fullCutsDone,
		},
		{
			Trait: fault("full-forges-done",
				"a full plan adds a step that claims to be done: it becomes pending").Says("status done", "full plan"),
			kind: inFullPlan, plant: fullForgesDone,
		},
		{
			Trait: fault("full-forges-open",
				"a full plan marks an open step as done: it becomes pending").Says("open step with another status", "full plan"),
			kind: inFullPlan, open: 1, plant: onOpen(fullForgesOpen),
		},
		{
			Trait: fault("full-reorders-done",
				"a full plan reorders finished steps: they keep their old order").Says("done steps in another order", "full plan"),
			kind: inFullPlan, done: 2, rules: restoring, claims: aSteps | aDone, plant: fullReordersDone,
		},
		{
			Trait: fault("full-over-limit",
				"a full plan has more steps than allowed: the last unfinished steps are dropped").Says("more steps than allowed",
				"full plan"),
			kind: inFullPlan, claims: aLimit, plant: fullOverLimit,
		},
		{
			Trait: fault("full-restored-over-limit",
				"a full plan at the limit leaves out a finished step: it is restored, and the last unfinished step is dropped").Says("done step left out at the limit", "full plan"),
			kind: inFullPlan, done: 1, rules: restoring, claims: aSteps | aLimit, plant: onCarried(fullRestoredOverLimit),
		},
	}
}

func doneUpdate(d *draft, i int) effect {
	u := d.described(i)
	if d.OneIn(4) { // even if it repeats the current value
		u.step.Description = d.P.Steps[i].Description
	}
	u.apply = harness.DoneImmutable
	return d.put(&d.doc.updates, u)
}

func doneRemove(d *draft, i int) effect {
	return d.put(&d.doc.removes, item{at: i, step: plan.Step{ID: d.P.Steps[i].ID}, apply: harness.DoneImmutable})
}

func doneReadd(d *draft, i int) effect {
	a := d.named(d.P.Steps[i].ID)
	a.apply = harness.DuplicateID
	return d.put(&d.doc.adds, a)
}

func doneReplace(d *draft, i int) effect {
	a := d.named(d.P.Steps[i].ID)
	a.ghost = true
	e := d.conflict()
	switch d.profile.Conflicts {
	case harness.Keep:
		a.apply = harness.DuplicateID
	case harness.Replace:
		e = effect{at: onUpdates, code: harness.DoneImmutable}
	}
	d.put(&d.doc.removes, d.removal(i))
	d.put(&d.doc.adds, a)
	return e
}

func statusDoneInAdd(d *draft) effect { return d.addWithStatus(`"done"`) }

func statusOddInAdd(d *draft) effect {
	return d.addWithStatus(generators.Pick(&d.Choices, []string{
		`"in_progress"`, `"Done"`, `"completed"`, `"✅"`,
		`"failed"`, `""`,
	}))
}

func (d *draft) addWithStatus(status string) effect {
	a := d.newItem()
	a.twist = &twist{status: status}
	return d.put(&d.doc.adds, a)
}

// carried returns the step of the full plan for a step of the plan.
func (d *draft) carried(i int) *item {
	return &d.doc.adds[slices.IndexFunc(d.doc.adds, func(a item) bool { return a.at == i })]
}

// onCarried plants a trait in a done step that a full plan carries.
func onCarried(plant func(d *draft, a *item)) func(d *draft) effect {
	return onDone(func(d *draft, i int) effect {
		plant(d, d.carried(i))
		return planted
	})
}

// leaveOut takes steps out of a full plan; it keeps one.
func (d *draft) leaveOut(which func(a *item) bool) {
	d.doc.adds = slices.DeleteFunc(d.doc.adds, func(a item) bool { return which(&a) })
	if len(d.doc.adds) == 0 {
		d.doc.adds = append(d.doc.adds, d.newItem())
	}
}

func fullDropsDone(d *draft, dropped *item) {
	at := dropped.at
	d.leaveOut(func(a *item) bool { return a.at == at })
}

func fullRestoredOverLimit(d *draft, dropped *item) {
	fullDropsDone(d, dropped)
	fullOverLimit(d)
}

func fullDropsAllDone(d *draft) effect {
	d.leaveOut(func(a *item) bool { return d.carriesDone(a) })
	return planted
}

// fullDropsBlocker makes a step open again on which a done one depends, and leaves it out.
func fullDropsBlocker(d *draft) effect {
	i, j := d.useBlocker()
	if i < 0 {
		return notPlanted
	}
	d.carried(j).step.Dependencies = d.P.Steps[j].Dependencies
	fullDropsDone(d, d.carried(i))
	return planted
}

func (d *draft) carriesDone(a *item) bool { return a.at >= 0 && d.isDone(a.at) }

func fullRenamesDone(d *draft, a *item) {
	a.step.ID, a.step.Status, a.at = d.newID(), plan.Pending, -1
	a.twist = &twist{status: generators.Pick(&d.Choices, []string{`"done"`, `"pending"`})}
}

func fullReusesDone(d *draft, a *item) {
	a.step.Description = d.phrase(a.step.Description)
	a.step.Dependencies, a.step.ToolsExpected = nil, d.tools()
}

func fullReopensDone(d *draft, a *item) {
	a.twist = &twist{status: generators.Pick(&d.Choices, []string{`"pending"`, `"in_progress"`, `"failed"`})}
}

func fullForgesDone(d *draft) effect { return d.addWithStatus(`"done"`) }

func fullForgesOpen(d *draft, i int) effect {
	d.carried(i).twist = &twist{status: generators.Pick(&d.Choices, []string{`"done"`, `"Done"`, `"failed"`})}
	return planted
}

// fullReordersDone turns the order of the done steps round.
func fullReordersDone(d *draft) effect {
	var keys []int
	for k := range d.doc.adds {
		if a := &d.doc.adds[k]; d.carriesDone(a) {
			keys = append(keys, a.key)
		}
	}
	if len(keys) < 2 {
		return notPlanted
	}
	for k := range d.doc.adds {
		if a := &d.doc.adds[k]; d.carriesDone(a) {
			a.key, keys = keys[len(keys)-1], keys[:len(keys)-1]
		}
	}
	return effect{at: nobody, open: d.profile.CarryOver != harness.Restore}
}

// fullCutsDone moves the done steps to the end of the plan, behind the limit.
func fullCutsDone(d *draft) effect {
	for k := range d.doc.adds {
		if a := &d.doc.adds[k]; d.carriesDone(a) {
			a.key += tail
		}
	}
	return fullOverLimit(d)
}

func fullOverLimit(d *draft) effect {
	end(&d.doc.adds, d.newItem())
	return d.limitIs(oneTooMany)
}
