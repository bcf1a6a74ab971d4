package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// dependencyFaults are edges that lead nowhere or in a circle.
func dependencyFaults() []patchFault {
	fault := generators.Family("dependencies")
	return []patchFault{
		{Trait: fault("dependency-unknown-add", "an added step depends on a step that does not exist: missing_dependency"), plant: dependencyUnknownAdd},
		{Trait: fault("dependency-unknown-update", "an update depends on a step that does not exist: missing_dependency"), needs: generators.WantOpen, plant: onOpen(dependencyUnknownUpdate)},
		{Trait: fault("dependency-removed", "a written dependency names a step that the patch removes: missing_dependency"), needs: generators.WantOrphan, plant: dependencyRemoved},
		{Trait: fault("orphan-by-removal", "a step is removed that others need: missing_dependency, or the edge goes or is bridged").Weigh(2 * generators.Usual), needs: generators.WantOrphan | generators.WantOrphanRules, plant: orphanByRemoval},
		{Trait: fault("orphan-of-done", "a step is removed that a done step depends on: missing_dependency"), needs: generators.WantDoneEdge, plant: orphanOfDone},
		{Trait: fault("dependency-truncated", "an added step depends on one that no longer fits: missing_dependency"), claims: aLimit | aTail, stage: onLimits, plant: dependencyTruncated},
		{Trait: fault("dependency-self", "a step depends on itself: dependency_cycle"), claims: aCycle, plant: dependencySelf},
		{Trait: fault("cycle-two", "two steps depend on each other: dependency_cycle"), claims: aCycle, plant: cycleTwo},
		{Trait: fault("cycle-n", "three to eight added steps depend on each other in a ring: dependency_cycle"), claims: aCycle, plant: cycleN},
		{Trait: fault("dependency-duplicate", "a dependency is listed twice: it is kept once"), plant: dependencyDuplicate},
		{Trait: fault("dependency-space", "a dependency has white space round it: it is the step without"), plant: dependencySpace},
		{Trait: fault("dependency-blank", "a dependency is blank: empty_id"), shares: aReading, plant: dependencyBlank},
		{Trait: fault("dependency-case", "a dependency differs from its step in case alone: missing_dependency"), claims: aVariant, plant: dependencyCase},
		{Trait: fault("update-unknown", "an update names a step that does not exist: unknown_step"), plant: updateUnknown},
		{Trait: fault("remove-unknown", "a removal names a step that does not exist: nothing, but a warning"), plant: removeUnknown},
	}
}

// missingAdd plants an added step with one more dependency, which leads nowhere.
func (d *draft) missingAdd(on string) effect {
	a := d.newItem()
	a.edges = harness.MissingDependency
	a.step.Dependencies = append(slices.Clip(a.step.Dependencies), on)
	return d.put(&d.doc.adds, a)
}

func dependencyUnknownAdd(d *draft) effect { return d.missingAdd(d.newID()) }

func dependencyUnknownUpdate(d *draft, i int) effect {
	return d.put(&d.doc.updates, item{
		at: i, has: hasDependencies, edges: harness.MissingDependency,
		step: plan.Step{ID: d.P.Steps[i].ID, Dependencies: []string{d.newID()}},
	})
}

func dependencyRemoved(d *draft) effect {
	i := d.pickStep(d.removable)
	if i < 0 {
		return notPlanted
	}
	d.remove(i)
	return d.missingAdd(d.P.Steps[i].ID)
}

func orphanByRemoval(d *draft) effect {
	i := d.pickStep(d.orphans)
	if i < 0 {
		return notPlanted
	}
	d.orphan(i)
	if d.OneIn(2) { // and another, perhaps behind it
		if j := d.pickStep(d.orphans); j >= 0 {
			d.orphan(j)
		}
	}
	if d.profile.Orphans == harness.Reject {
		return effect{at: onOrphans, code: harness.MissingDependency}
	}
	return planted
}

// orphans reports whether the step can go so that only steps lose it which are
// not done and whose dependencies the patch does not write.
func (d *draft) orphans(i int) bool {
	if d.isDone(i) || d.needed[i] {
		return false
	}
	dependents := 0
	for j := range d.P.Steps {
		switch {
		case d.removed[j] || !slices.Contains(d.P.Steps[j].Dependencies, d.P.Steps[i].ID):
		case d.isDone(j) || d.writes(j):
			return false
		default:
			dependents++
		}
	}
	return dependents > 0
}

// writes reports whether the patch names the step, but for its being an orphan.
func (d *draft) writes(i int) bool { return d.used[i] && !slices.Contains(d.lost, i) }

func (d *draft) orphan(i int) {
	d.used[i], d.removed[i] = true, true
	d.put(&d.doc.removes, d.removal(i))
	for j := range d.P.Steps {
		if !d.removed[j] && slices.Contains(d.P.Steps[j].Dependencies, d.P.Steps[i].ID) {
			d.used[j] = true
			d.lost = append(d.lost, j)
		}
	}
}

func orphanOfDone(d *draft) effect {
	i := d.pickStep(func(i int) bool {
		return d.isOpen(i) && !d.needed[i] && d.doneNeeds(d.P.Steps[i].ID)
	})
	if i < 0 {
		return notPlanted
	}
	d.orphan(i)
	return effect{at: onOrphans, code: harness.MissingDependency}
}

func dependencyTruncated(d *draft) effect {
	last := d.newItem()
	before := d.newItem()
	before.step.Dependencies = append(slices.Clip(before.step.Dependencies), last.step.ID)
	kept, wanted := d.count()
	d.doc.adds = append(d.doc.adds, before, last)
	d.limit = kept + wanted + 1
	return planted
}

func dependencySelf(d *draft) effect {
	if i := d.useOpen(); i >= 0 && d.OneIn(2) {
		return d.put(&d.doc.updates, item{
			at: i, has: hasDependencies, edges: harness.DependencyCycle,
			step: plan.Step{ID: d.P.Steps[i].ID, Dependencies: []string{d.P.Steps[i].ID}},
		})
	}
	return d.ring(1)
}

// ring adds n steps of which each depends on the next, the last on the first.
func (d *draft) ring(n int) effect {
	ring := make([]item, n)
	for i := range ring {
		ring[i] = d.newItem()
		ring[i].edges = harness.DependencyCycle
	}
	for i := range ring {
		s := &ring[i].step
		s.Dependencies = append(slices.Clip(s.Dependencies), ring[(i+1)%n].step.ID)
	}
	for _, a := range ring {
		d.put(&d.doc.adds, a)
	}
	return planted
}

func cycleTwo(d *draft) effect {
	i := d.useOpen()
	if i < 0 || d.OneIn(2) {
		return d.ring(2)
	}
	a := d.newItem()
	id := d.P.Steps[i].ID
	a.edges = harness.DependencyCycle
	a.step.Dependencies = []string{id}
	d.needed[i] = true
	d.put(&d.doc.updates, item{
		at: i, has: hasDependencies, edges: harness.DependencyCycle,
		step: plan.Step{ID: id, Dependencies: []string{a.step.ID}},
	})
	return d.put(&d.doc.adds, a)
}

func cycleN(d *draft) effect { return d.ring(3 + d.Below(6)) }

// onOne returns a new step with exactly one dependency, on a step that stays.
func (d *draft) onOne() (a item, ok bool) {
	a = d.newItem()
	i := d.Below(len(d.P.Steps))
	if d.removed[i] {
		return a, false
	}
	d.needed[i] = true
	a.step.Dependencies = []string{d.P.Steps[i].ID}
	return a, true
}

func dependencyDuplicate(d *draft) effect {
	return d.twistedDependency(func(id string) string { return "[" + generators.Quoted(id) + "," + generators.Quoted(id) + "]" })
}

func dependencySpace(d *draft) effect {
	return d.twistedDependency(func(id string) string { return "[" + generators.Quoted(d.padded(id)) + "]" })
}

// twistedDependency plants a step whose one dependency is written in its way.
func (d *draft) twistedDependency(write func(id string) string) effect {
	a, ok := d.onOne()
	if !ok {
		return notPlanted
	}
	a.twist = &twist{dependencies: write(a.step.Dependencies[0])}
	return d.put(&d.doc.adds, a)
}

func dependencyBlank(d *draft) effect {
	return d.misreadAdd(twist{dependencies: "[" + d.blank() + "]"}, harness.EmptyID, false)
}

func dependencyCase(d *draft) effect {
	id, ok := otherCase(generators.Pick(&d.Choices, d.P.Steps).ID)
	if !ok {
		return notPlanted
	}
	return d.missingAdd(id)
}

func updateUnknown(d *draft) effect { return d.strangeUpdate(d.newID()) }

func removeUnknown(d *draft) effect {
	return d.put(&d.doc.removes, stranger(d.newID(), ""))
}
