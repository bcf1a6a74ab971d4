package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// dependencyFaults are edges that lead nowhere or in a circle.
func dependencyFaults() []patchTrait {
	fault := generators.Family("dependencies")
	return []patchTrait{
		{
			Trait: fault("dependency-unknown-add",
				"an added step depends on an unknown step: missing_dependency").Says("unknown dependency", "add"),
			kind: inPatch, puts: adds, plant: dependencyUnknownAdd,
		},
		{
			Trait: fault("dependency-unknown-update",
				"an update adds a dependency on an unknown step: missing_dependency").Says("unknown dependency", "update"),
			kind: inPatch, open: 1, puts: updates, plant: onOpen(dependencyUnknownUpdate),
		},
		{
			Trait: fault("dependency-removed",
				"the patch adds a dependency on a step that it removes: missing_dependency").Says("dependency on a removed step",
				"add"),
			kind: inPatch, open: 1, puts: removes | adds, plant: dependencyRemoved,
		},
		{
			Trait: fault("removal-rewired",
				"the patch removes a step and updates the step that needed it: applied").Says("removed step that others need",
				"update").InBase(),
			kind: inPatch, open: 2, puts: removes | updates, plant: removalRewired,
		},
		{
			Trait: fault("orphan-by-removal",
				"the patch removes a step that another step needs: missing_dependency, or the dependency is dropped or bridged").Says("removed step that others need", "remove").InBase().Weigh(2 * generators.Usual),
			kind: inPatch, open: 2, done: 1, puts: removes, rules: orphanRules,
			plant: func(d *draft) effect { return d.orphans(1) },
		},
		{
			Trait: fault("orphans-in-a-row",
				"the patch removes a step and its dependency, which others need: missing_dependency, or dropped or bridged "+
					"dependencies").Says("removed steps that others need", "remove").InBase(),
			kind: inPatch, open: 3, done: 1, puts: removes, rules: orphanRules,
			plant: func(d *draft) effect { return d.orphans(2) },
		},
		{
			Trait: fault("orphan-updated",
				"the patch removes a step and updates one that needs it: missing_dependency, or the dependency is dropped or "+
					"bridged").Says("removed step that an updated one needs", "remove and update").InBase(),
			kind: inPatch, open: 2, done: 1, puts: removes | updates, rules: orphanRules, plant: orphanUpdated,
		},
		{
			Trait: fault("orphan-of-done",
				"the patch removes a step that a finished step depends on: missing_dependency").Says(
				"removed step that a finished one needs", "remove").InBase(),
			kind: inPatch, done: 2, puts: removes, rules: orphanRules, plant: orphanOfDone,
		},
		{
			Trait: fault("dependency-truncated",
				"an added step depends on an addition beyond the limit: missing_dependency").Says("dependency on a step that "+
				"does not fit", "add"),
			kind: inPatch, claims: aLimit | aTail, puts: adds, plant: dependencyTruncated,
		},
		{
			Trait: fault("dependency-self-add",
				"an added step depends on itself: dependency_cycle").Says("self-dependency", "add"),
			kind: inPatch, claims: aCycle, puts: adds, plant: func(d *draft) effect { return d.ring(1) },
		},
		{
			Trait: fault("dependency-self-update",
				"an update makes a step depend on itself: dependency_cycle").Says("self-dependency", "update"),
			kind: inPatch, claims: aCycle, open: 1, puts: updates, plant: onOpen(dependencySelf),
		},
		{
			Trait: fault("cycle-two-add", "two added steps depend on each other: dependency_cycle").Says("cycle", "add"),
			kind:  inPatch, claims: aCycle, puts: adds, plant: func(d *draft) effect { return d.ring(2) },
		},
		{
			Trait: fault("cycle-two-update",
				"an updated and an added step depend on each other: dependency_cycle").Says("cycle", "update"),
			kind: inPatch, claims: aCycle, open: 1, puts: updates | adds, plant: onOpen(cycleTwo),
		},
		{
			Trait: fault("cycle-n",
				"three to eight added steps form a dependency cycle: dependency_cycle").Says("long cycle", "add"),
			kind: inPatch, claims: aCycle, puts: adds, plant: func(d *draft) effect { return d.ring(3 + d.Below(6)) },
		},
		{
			Trait: fault("cycle-of-updates",
				"two updates make their steps depend on each other: dependency_cycle").Says("cycle of old steps", "update"),
			kind: inPatch, claims: aCycle, open: 2, puts: updates, plant: func(d *draft) effect { return d.oldRing(2) },
		},
		{
			Trait: fault("cycle-of-updates-long",
				"three or four updates create a dependency cycle: dependency_cycle").Says("long cycle of old steps", "update"),
			kind: inPatch, claims: aCycle, open: 4, puts: updates,
			plant: func(d *draft) effect { return d.oldRing(3 + d.Below(2)) },
		},
		{
			Trait: fault("cycle-by-update",
				"an update makes a step depend on one that already depends on it: dependency_cycle").Says("cycle of old steps",
				"update").InBase(),
			kind: inPatch, claims: aCycle, open: 2, puts: updates, plant: cycleByUpdate,
		},
		{
			Trait: fault("cycle-through-done",
				"an update makes a step depend on a finished step that depends on it: dependency_cycle").Says(
				"cycle through a done step", "update").InBase(),
			kind: inPatch, claims: aCycle, done: 2, puts: updates, plant: cycleThroughDone,
		},
		{
			Trait: fault("dependency-duplicate",
				"a dependency is listed twice: it is kept once").Says("dependency listed twice", "add"),
			kind: inPatch, puts: adds, plant: dependencyDuplicate,
		},
		{
			Trait: fault("dependency-space",
				"a dependency has leading or trailing white space: it is trimmed").Says("white space around a dependency", "add"),
			kind: inPatch, puts: adds, plant: dependencySpace,
		},
		{
			Trait: fault("dependency-blank", "a dependency is blank: empty_id").Says("blank dependency", "add"),
			kind:  inPatch, shares: aReading, puts: adds, plant: dependencyBlank,
		},
		{
			Trait: fault("dependency-case",
				"a dependency differs from its step in case: missing_dependency").Says("dependency in another case", "add"),
			kind: inPatch, claims: aVariant, puts: adds, plant: dependencyCase,
		},
		{
			Trait: fault("dependency-on-next",
				"an added step depends on a later addition: applied").Says("dependency on a later addition", "add"),
			kind: inPatch, puts: adds, plant: func(d *draft) effect { return d.chain(false) },
		},
		{
			Trait: fault("dependency-on-previous",
				"an added step depends on an earlier addition: applied").Says("dependency on an earlier addition", "add"),
			kind: inPatch, puts: adds, plant: func(d *draft) effect { return d.chain(true) },
		},
		{
			Trait: fault("dependency-on-added",
				"an update makes a step depend on an added one: applied").Says("dependency on an addition", "update"),
			kind: inPatch, open: 1, puts: updates | adds, plant: onOpen(insertBefore),
		},
		{
			Trait: fault("update-unknown",
				"an update names an unknown step: unknown_step").Says("unknown step", "update"),
			kind: inPatch, puts: updates, plant: updateUnknown,
		},
		{
			Trait: fault("remove-unknown",
				"a removal names an unknown step: ignored, with a warning").Says("unknown step", "remove"),
			kind: inPatch, puts: removes, plant: removeUnknown,
		},
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
	i := d.useLeaf()
	if i < 0 {
		return notPlanted
	}
	d.takeAway(i)
	d.put(&d.doc.removes, d.removal(i))
	return d.missingAdd(d.P.Steps[i].ID)
}

// row takes n open steps of which each depends on the one before it. Nobody else
// needs the first who is done or taken, and the others are no one's yet. nil is
// that there are none.
func (d *draft) row(n int) []int {
	first := d.pickStep(func(i int) bool { return d.removable(i) && len(d.behind(i)) >= n-1 })
	if first < 0 {
		return nil
	}
	row := append([]int{first}, d.behind(first)[:n-1]...)
	for k, i := range row {
		if d.used[i] = true; k > 0 {
			d.depend(i, row[k-1])
		}
	}
	return row
}

// behind returns the free open steps of higher rank that the edit may take away.
func (d *draft) behind(i int) (list []int) {
	for j := range d.base {
		if d.Rank[j] > d.Rank[i] && !d.used[j] && d.removable(j) {
			list = append(list, j)
		}
	}
	return list
}

func removalRewired(d *draft) effect {
	row := d.row(2)
	if row == nil {
		return notPlanted
	}
	d.remove(row[0])
	return planted
}

// orphans removes n steps in a row, and leaves who needs them behind.
func (d *draft) orphans(n int) effect {
	row := d.row(n + 1)
	if row == nil {
		return notPlanted
	}
	return d.orphansOf(row)
}

func orphanUpdated(d *draft) effect {
	row := d.row(2)
	if row == nil {
		return notPlanted
	}
	d.put(&d.doc.updates, d.described(row[1]))
	return d.orphansOf(row)
}

// orphansOf removes all steps of a row but the last.
func (d *draft) orphansOf(row []int) effect {
	if on := d.pickStep(func(i int) bool { return d.Rank[i] < d.Rank[row[0]] && !d.gone[i] }); on >= 0 {
		d.needed[on] = true
		d.depend(row[0], on) // so that there is something to bridge
	}
	for _, i := range row[:len(row)-1] {
		d.orphan(i)
	}
	if d.profile.Orphans == harness.Reject {
		return effect{at: onOrphans, code: harness.MissingDependency}
	}
	return planted
}

// orphan removes a step, and leaves the dependencies on it unwritten.
func (d *draft) orphan(i int) {
	d.takeAway(i)
	d.put(&d.doc.removes, d.removal(i))
	for j := range d.P.Steps {
		if !d.gone[j] && slices.Contains(d.P.Steps[j].Dependencies, d.P.Steps[i].ID) {
			d.used[j] = true
			d.lost = append(d.lost, j)
		}
	}
}

// orphanOfDone removes an open step on which a done one depends.
func orphanOfDone(d *draft) effect {
	i, _ := d.useBlocker()
	if i < 0 {
		return notPlanted
	}
	d.orphan(i)
	return effect{at: onOrphans, code: harness.MissingDependency}
}

// useBlocker takes two done steps, makes the second depend on the first, and makes the
// first open again. It returns -1 if no two done steps are free.
func (d *draft) useBlocker() (blocker, blocked int) {
	blocker = d.pickStep(func(i int) bool { return d.isDone(i) && !d.needed[i] && d.doneBehind(i) >= 0 })
	if blocker < 0 {
		return -1, -1
	}
	blocked = d.doneBehind(blocker)
	d.used[blocked] = true
	d.depend(blocked, blocker)
	d.P.Steps[blocker].Status = plan.Pending
	return blocker, blocked
}

// doneBehind returns a free done step of higher rank, or -1.
func (d *draft) doneBehind(i int) int {
	for j := range d.base {
		if d.Rank[j] > d.Rank[i] && !d.used[j] && d.isDone(j) {
			return j
		}
	}
	return -1
}

func dependencyTruncated(d *draft) effect {
	last := d.newItem()
	before := d.newItem()
	before.step.Dependencies = append(slices.Clip(before.step.Dependencies), last.step.ID)
	end(&d.doc.adds, before)
	end(&d.doc.adds, last)
	return d.limitIs(oneTooMany)
}

func dependencySelf(d *draft, i int) effect {
	return d.put(&d.doc.updates, item{
		at: i, has: hasDependencies, edges: harness.DependencyCycle,
		step: plan.Step{ID: d.P.Steps[i].ID, Dependencies: []string{d.P.Steps[i].ID}},
	})
}

// ring adds n steps that form a cycle: each depends on the next, the last on the first.
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

func cycleTwo(d *draft, i int) effect {
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

// oldRing makes n open steps depend on each other in a ring, by an update each. No
// plain addition leads into it.
func (d *draft) oldRing(n int) effect {
	ring := make([]int, n)
	for k := range ring {
		if ring[k] = d.useOpen(); ring[k] < 0 {
			return notPlanted
		}
	}
	for k, i := range ring {
		d.closes(i, ring[(k+1)%n])
	}
	d.spared |= adds
	return planted
}

func cycleByUpdate(d *draft) effect {
	i := d.pickStep(func(i int) bool { return d.isOpen(i) && d.openBehind(i) >= 0 })
	if i < 0 {
		return notPlanted
	}
	return d.closeRing(i, d.openBehind(i))
}

// cycleThroughDone makes a done step open again on which another depends.
func cycleThroughDone(d *draft) effect {
	i := d.pickStep(func(i int) bool { return d.isDone(i) && d.doneBehind(i) >= 0 })
	if i < 0 {
		return notPlanted
	}
	j := d.doneBehind(i)
	d.P.Steps[i].Status = plan.Pending
	return d.closeRing(i, j)
}

// openBehind returns a free open step of higher rank, or -1.
func (d *draft) openBehind(i int) int {
	for j := range d.base {
		if d.Rank[j] > d.Rank[i] && !d.used[j] && d.isOpen(j) {
			return j
		}
	}
	return -1
}

// closeRing makes the second step depend on the first, and updates the first to
// depend on the second.
func (d *draft) closeRing(i, j int) effect {
	d.used[i], d.used[j] = true, true
	d.depend(j, i)
	d.closes(i, j)
	d.spared |= adds
	return planted
}

// closes puts an update that makes a step depend on another alone, and closes a
// ring so.
func (d *draft) closes(i, on int) {
	d.needed[on] = true
	d.put(&d.doc.updates, item{
		at: i, has: hasDependencies, edges: harness.DependencyCycle,
		step: plan.Step{ID: d.P.Steps[i].ID, Dependencies: []string{d.P.Steps[on].ID}},
	})
}

// chain adds two steps; one depends on the other.
func (d *draft) chain(inOrder bool) effect {
	first, second := d.newItem(), d.newItem()
	second.step.Dependencies = append(slices.Clip(second.step.Dependencies), first.step.ID)
	d.put(&d.doc.adds, first)
	d.put(&d.doc.adds, second)
	a, b := &d.doc.adds[len(d.doc.adds)-2], &d.doc.adds[len(d.doc.adds)-1]
	if (a.key < b.key) != inOrder {
		a.key, b.key = b.key, a.key
	}
	return planted
}

// insertBefore adds a step in front of one of the plan.
func insertBefore(d *draft, i int) effect {
	a, old := d.newItem(), d.P.Steps[i].Dependencies
	if !d.keepsAll(i) {
		return notPlanted
	}
	a.step.Dependencies = old
	d.need(old)
	d.put(&d.doc.updates, item{at: i, has: hasDependencies, step: plan.Step{
		ID: d.P.Steps[i].ID, Dependencies: append(slices.Clone(old), a.step.ID),
	}})
	return d.put(&d.doc.adds, a)
}

// onOne returns a new step with exactly one dependency, on a step that stays.
func (d *draft) onOne() (a item, ok bool) {
	a = d.newItem()
	i := d.Below(d.base)
	if d.gone[i] {
		return a, false
	}
	d.needed[i] = true
	a.step.Dependencies = []string{d.P.Steps[i].ID}
	return a, true
}

func dependencyDuplicate(d *draft) effect {
	return d.twistedDependency(func(id string) string {
		return "[" + generators.Quoted(id) + "," + generators.Quoted(id) +
			"]"
	})
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
	id, ok := otherCase(d.anyStep().ID)
	if !ok {
		return notPlanted
	}
	return d.missingAdd(id)
}

func updateUnknown(d *draft) effect { return d.strangeUpdate(d.newID()) }

func removeUnknown(d *draft) effect {
	return d.put(&d.doc.removes, stranger(d.newID(), ""))
}
