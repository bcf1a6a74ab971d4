package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// finishedFaults touch work that is done, which no edit may change.
func finishedFaults() []patchFault {
	fault := generators.Family("finished")
	return []patchFault{
		{Trait: fault("done-update", "a done step is updated: done_immutable"), needs: generators.WantDone, plant: onDone(doneUpdate)},
		{Trait: fault("done-remove", "a done step is removed: done_immutable"), needs: generators.WantDone, plant: onDone(doneRemove)},
		{Trait: fault("done-readd", "a done step is added again: duplicate_id"), needs: generators.WantDone, plant: onDone(doneReadd)},
		{Trait: fault("done-replace", "a done step is removed and added: id_conflict under reject, duplicate_id under keep, done_immutable under replace"), needs: generators.WantDone, plant: onDone(doneReplace)},
		{Trait: fault("status-done-in-add", "an added step says that it is done: it starts as pending"), plant: statusDoneInAdd},
		{Trait: fault("status-odd-in-add", "an added step has another or an unknown status: it starts as pending"), plant: statusOddInAdd},
		{Trait: fault("full-drops-done", "a full plan leaves done steps out: they are put back, but not under by_id"), kind: inFullPlan, needs: generators.WantTwoDone | generators.WantRestore, claims: aSteps, plant: fullDropsDone},
		{Trait: fault("full-renames-done", "a full plan gives a done step another id: it is put back beside the new one, but not under by_id"), kind: inFullPlan, needs: generators.WantDone | generators.WantRestore, claims: aSteps, plant: onCarried(fullRenamesDone)},
		{Trait: fault("full-reuses-done", "a full plan gives the id of a done step to other work: the done step stands"), kind: inFullPlan, needs: generators.WantDone, claims: aSteps, plant: onCarried(fullReusesDone)},
		{Trait: fault("full-reopens-done", "a full plan makes a done step pending: it stays done"), kind: inFullPlan, needs: generators.WantDone, plant: onCarried(fullReopensDone)},
		{Trait: fault("full-cuts-done", "a full plan over the limit has its done steps at the end: the last that is not done goes"), kind: inFullPlan, needs: generators.WantTwoDone, claims: aSteps | aLimit, stage: onLimits, plant: fullCutsDone},
		{Trait: fault("full-forges-done", "a full plan says of an open or new step that it is done: it is pending"), kind: inFullPlan, plant: fullForgesDone},
		{Trait: fault("full-reorders-done", "a full plan has the done steps in another order: they keep their old one"), kind: inFullPlan, needs: generators.WantTwoDone | generators.WantRestore, claims: aSteps, plant: fullReordersDone},
		{Trait: fault("full-over-limit", "a full plan has more steps than allowed: the last that are not done are cut"), kind: inFullPlan, claims: aLimit, stage: onLimits, plant: fullOverLimit},
	}
}

func doneUpdate(d *draft, i int) effect {
	u := d.described(i)
	if d.OneIn(4) { // even if it says what stands there already
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
	return d.addWithStatus(generators.Pick(&d.Choices, []string{`"in_progress"`, `"Done"`, `"completed"`, `"✅"`, `"failed"`, `""`}))
}

func (d *draft) addWithStatus(status string) effect {
	a := d.newItem()
	a.twist = &twist{status: status}
	return d.put(&d.doc.adds, a)
}

// carriedDone returns the places of the done steps in the full plan.
func (d *draft) carriedDone() (at []int) {
	for k := range d.doc.adds {
		if a := &d.doc.adds[k]; a.at >= 0 && d.isDone(a.at) {
			at = append(at, k)
		}
	}
	return at
}

func fullDropsDone(d *draft) effect {
	done := d.carriedDone()
	if len(done) == 0 || len(done) == len(d.doc.adds) && len(done) == 1 {
		return notPlanted
	}
	slices.Reverse(done)
	for n, k := range done {
		if len(d.doc.adds) > 1 && (n == 0 || d.OneIn(2)) {
			d.doc.adds = slices.Delete(d.doc.adds, k, k+1)
		}
	}
	return planted
}

// onCarried plants a fault in done steps that a full plan carries.
func onCarried(plant func(d *draft, done []int) effect) func(d *draft) effect {
	return func(d *draft) effect {
		done := d.carriedDone()
		if len(done) == 0 {
			return notPlanted
		}
		return plant(d, done)
	}
}

func fullRenamesDone(d *draft, done []int) effect {
	a := &d.doc.adds[generators.Pick(&d.Choices, done)]
	a.step.ID, a.at = d.newID(), -1
	a.twist = &twist{status: generators.Pick(&d.Choices, []string{`"done"`, `"pending"`})}
	return planted
}

func fullReusesDone(d *draft, done []int) effect {
	a := &d.doc.adds[generators.Pick(&d.Choices, done)]
	a.step.Description = d.phrase(a.step.Description)
	a.step.Dependencies, a.step.ToolsExpected = nil, []string{"other_tool"}
	return planted
}

func fullReopensDone(d *draft, done []int) effect {
	for _, k := range done {
		d.doc.adds[k].twist = &twist{status: generators.Pick(&d.Choices, []string{`"pending"`, `"in_progress"`, `"failed"`})}
	}
	return planted
}

func fullForgesDone(d *draft) effect {
	for k := range d.doc.adds {
		if a := &d.doc.adds[k]; (a.at < 0 || d.isOpen(a.at)) && a.twist == nil {
			a.twist = &twist{status: `"done"`}
			return planted
		}
	}
	return notPlanted
}

func fullReordersDone(d *draft) effect {
	done := d.carriedDone()
	if len(done) < 2 {
		return notPlanted
	}
	for i, j := 0, len(done)-1; i < j; i, j = i+1, j-1 {
		a, b := done[i], done[j]
		d.doc.adds[a], d.doc.adds[b] = d.doc.adds[b], d.doc.adds[a]
	}
	return effect{at: nobody, open: d.profile.CarryOver != harness.Restore}
}

// fullCutsDone moves the done steps to the end of the plan, behind the limit.
func fullCutsDone(d *draft) effect {
	if len(d.carriedDone()) == 0 || fullOverLimit(d).at == nowhere {
		return notPlanted
	}
	slices.SortStableFunc(d.doc.adds, func(a, b item) int { return d.rankDone(a) - d.rankDone(b) })
	return planted
}

func (d *draft) rankDone(a item) int {
	if a.at >= 0 && d.isDone(a.at) {
		return 1
	}
	return 0
}

func fullOverLimit(d *draft) effect {
	return d.limitTo(d.fullSize() - 1 - d.Below(2))
}
