package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// finishedFaults touch work that is done, which no edit may change.
func finishedFaults() []patchFault {
	const family = "finished"
	return []patchFault{
		{
			Name: "done-update", Family: family, needs: generators.WantDone, plant: onDone(doneUpdate),
			Text: "a done step is updated: done_immutable",
		},
		{
			Name: "done-remove", Family: family, needs: generators.WantDone, plant: onDone(doneRemove),
			Text: "a done step is removed: done_immutable",
		},
		{
			Name: "done-readd", Family: family, needs: generators.WantDone, plant: onDone(doneReadd),
			Text: "a done step is added again: duplicate_id",
		},
		{
			Name: "done-replace", Family: family, needs: generators.WantDone, plant: onDone(doneReplace),
			Text: "a done step is removed and added: id_conflict under reject, duplicate_id under keep, done_immutable under replace",
		},
		{
			Name: "status-done-in-add", Family: family, plant: statusDoneInAdd,
			Text: "an added step says that it is done: it starts as pending",
		},
		{
			Name: "status-odd-in-add", Family: family, plant: statusOddInAdd,
			Text: "an added step has another or an unknown status: it starts as pending",
		},
		{
			Name: "full-drops-done", Family: family, kind: inFullPlan, needs: generators.WantTwoDone | generators.WantRestore, claims: aSteps, plant: fullDropsDone,
			Text: "a full plan leaves done steps out: they are put back, but not under by_id",
		},
		{
			Name: "full-renames-done", Family: family, kind: inFullPlan, needs: generators.WantDone | generators.WantRestore, claims: aSteps, plant: fullRenamesDone,
			Text: "a full plan gives a done step another id: it is put back beside the new one, but not under by_id",
		},
		{
			Name: "full-reuses-done", Family: family, kind: inFullPlan, needs: generators.WantDone, claims: aSteps, plant: fullReusesDone,
			Text: "a full plan gives the id of a done step to other work: the done step stands",
		},
		{
			Name: "full-reopens-done", Family: family, kind: inFullPlan, needs: generators.WantDone, plant: fullReopensDone,
			Text: "a full plan makes a done step pending: it stays done",
		},
		{
			Name: "full-cuts-done", Family: family, kind: inFullPlan, needs: generators.WantTwoDone, claims: aSteps | aLimit, stage: onLimits, plant: fullCutsDone,
			Text: "a full plan over the limit has its done steps at the end: the last that is not done goes",
		},
		{
			Name: "full-forges-done", Family: family, kind: inFullPlan, plant: fullForgesDone,
			Text: "a full plan says of an open or new step that it is done: it is pending",
		},
		{
			Name: "full-reorders-done", Family: family, kind: inFullPlan, needs: generators.WantTwoDone | generators.WantRestore, claims: aSteps, plant: fullReordersDone,
			Text: "a full plan has the done steps in another order: they keep their old one",
		},
		{
			Name: "full-over-limit", Family: family, kind: inFullPlan, claims: aLimit, stage: onLimits, plant: fullOverLimit,
			Text: "a full plan has more steps than allowed: the last that are not done are cut",
		},
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

func fullRenamesDone(d *draft) effect {
	done := d.carriedDone()
	if len(done) == 0 {
		return notPlanted
	}
	a := &d.doc.adds[generators.Pick(&d.Choices, done)]
	a.step.ID, a.at = d.newID(), -1
	a.twist = &twist{status: generators.Pick(&d.Choices, []string{`"done"`, `"pending"`})}
	return planted
}

func fullReusesDone(d *draft) effect {
	done := d.carriedDone()
	if len(done) == 0 {
		return notPlanted
	}
	a := &d.doc.adds[generators.Pick(&d.Choices, done)]
	a.step.Description = d.phrase(a.step.Description)
	a.step.Dependencies, a.step.ToolsExpected = nil, []string{"other_tool"}
	return planted
}

func fullReopensDone(d *draft) effect {
	done := d.carriedDone()
	if len(done) == 0 {
		return notPlanted
	}
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
