package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// dependencyTraits are edges that lead to steps that are unknown, removed or oddly spelled.
func dependencyTraits() []patchTrait {
	row := rows("dependencies")
	missing := func(name, text, theme, place string, puts lists) patchTrait {
		return row(name, text+": missing_dependency", theme, place, puts).refused("", harness.MissingDependency)
	}
	orphan := func(name, text, theme, place string, puts lists, steps int, plant func(d *draft, row []int)) patchTrait {
		return row(name, text, theme, place, puts).inBase().takes(1, steps).under(orphanRules).
			refused("orphans=reject", harness.MissingDependency).does(func(d *draft) bool {
			row := d.row(steps)
			if row != nil {
				plant(d, row)
			}
			return row != nil
		})
	}
	return []patchTrait{
		missing("dependency-unknown-add", "an added step depends on an unknown step", "unknown dependency", "add", adds).
			just(func(d *draft) { d.addOn(d.newID()) }),
		missing("dependency-unknown-update", "an update adds a dependency on an unknown step", "unknown dependency",
			"update", updates).onOpen(func(d *draft, i int) { d.update(change(d.id(i), depending(d.newID()))) }),
		missing("dependency-removed", "the patch adds a dependency on a step that it removes",
			"dependency on a removed step", "add", removes|adds).onLeaf(func(d *draft, i int) {
			d.takeAway(i)
			d.addOn(d.id(i))
		}),
		row("removal-rewired", "the patch removes a step and updates the step that needed it: applied",
			"removed step that others need", "update", removes|updates).inBase().takes(0, 2).does(func(d *draft) bool {
			row := d.row(2)
			if row != nil {
				d.rewire(row[0])
			}
			return row != nil
		}),
		orphan("orphan-by-removal", "the patch removes a step that another step needs: missing_dependency, or the "+
			"dependency is dropped or bridged", "removed step that others need", "remove", removes, 2, (*draft).orphan).
			weighs(2 * generators.Usual),
		orphan("orphans-in-a-row", "the patch removes a step and its dependency, which others need: missing_dependency, or "+
			"dropped or bridged dependencies", "removed steps that others need", "remove", removes, 3, (*draft).orphan),
		orphan("orphan-updated", "the patch removes a step and updates one that needs it: missing_dependency, or the "+
			"dependency is dropped or bridged", "removed step that an updated one needs", "remove and update",
			removes|updates, 2, func(d *draft, row []int) {
				d.update(d.reworded(row[1]))
				d.orphan(row)
			}),
		missing("orphan-of-done", "the patch removes a step that a finished step depends on",
			"removed step that a finished one needs", "remove", removes).inBase().takes(2, 0).under(orphanRules).
			does(func(d *draft) bool {
				i, _ := d.useBlocker()
				if i >= 0 {
					d.takeAway(i)
				}
				return i >= 0
			}),
		missing("dependency-truncated", "an added step depends on an addition beyond the limit",
			"dependency on a step that does not fit", "add", adds).claiming(aLimit | aTail).varying().just(func(d *draft) {
			last := d.fresh()
			end(&d.adds, d.freshOn(idOf(last)))
			end(&d.adds, last)
			d.limiting = oneTooMany
		}),
		row("dependency-duplicate", "a dependency is listed twice: it is kept once", "dependency listed twice", "add", adds).
			does(func(d *draft) bool { return d.addOnOld(func(ids ...string) []string { return append(ids, ids[0]) }, 1) }),
		row("dependency-duplicate-apart", "an unsorted list repeats a dependency behind others: it is kept once",
			"dependency listed twice", "add", adds).takes(0, 2).does(func(d *draft) bool {
			return d.addOnOld(func(ids ...string) []string {
				slices.Sort(ids)
				slices.Reverse(ids)
				return append(ids, ids[0], ids[1])
			}, 3)
		}),
		missing("dependency-case", "a dependency differs from an existing id in case", "dependency in another case", "add",
			adds).claiming(aVariant).does(func(d *draft) bool {
			id := d.anyID()
			other := otherCase(id)
			if other != id {
				d.addOn(other)
			}
			return other != id
		}),
		row("dependency-on-next", "an added step depends on a later addition: applied", "dependency on a later addition",
			"add", adds).just(func(d *draft) {
			last := d.fresh()
			d.add(d.freshOn(idOf(last)))
			d.add(last)
			inOrder(d.adds)
		}),
		row("dependency-on-previous", "an added step depends on an earlier addition: applied",
			"dependency on an earlier addition", "add", adds).just(func(d *draft) {
			first := d.fresh()
			d.add(first)
			d.add(d.freshOn(idOf(first)))
			inOrder(d.adds)
		}),
		row("dependency-on-added", "an update makes a step depend on an added one: applied", "dependency on an addition",
			"update", updates|adds).takes(0, 1).does(func(d *draft) bool {
			i := d.useOpen()
			if i < 0 || !d.keepsAll(i) {
				return false
			}
			old := d.P.Steps[i].Dependencies
			d.need(old)
			v := d.freshOn(old...)
			d.update(change(d.id(i), depending(append(slices.Clone(old), idOf(v))...)))
			d.add(v)
			return true
		}),
		row("update-unknown", "an update names an unknown step: unknown_step", "unknown step", "update", updates).
			refused("", harness.UnknownStep).
			just(func(d *draft) { d.update(change(d.newID(), described(d.phrase("")))) }),
		row("remove-unknown", "a removal names an unknown step: ignored, with a warning", "unknown step", "remove", removes).
			just(func(d *draft) { d.remove(d.newID()) }),
	}
}

// addOn adds a step that depends on another id as well.
func (d *draft) addOn(id string) {
	v := d.fresh()
	list := v.Get("dependencies")
	list.Items = append(slices.Clip(list.Items), generators.Text(id))
	d.add(v)
}

// addOnOld adds a step that depends on n steps of the plan, or as many as stay, listed in a way.
func (d *draft) addOnOld(list func(ids ...string) []string, n int) bool {
	var ids []string
	for i := range d.base {
		if !d.gone[i] && len(ids) < n {
			d.needed[i] = true
			ids = append(ids, d.id(i))
		}
	}
	if len(ids) == 0 || n > 1 && len(ids) < 2 {
		return false
	}
	d.add(d.freshOn(list(ids...)...))
	return true
}

// row takes n open steps that depend on each other in a row, and that the edit may remove; nil
// if there are none.
func (d *draft) row(n int) []int {
	above := func(i int) (list []int) {
		for j := i + 1; j < d.base; j++ {
			if !d.used[j] && d.removable(j) {
				list = append(list, j)
			}
		}
		return list
	}
	first := d.pick(func(i int) bool { return d.removable(i) && len(above(i)) >= n-1 })
	if first < 0 {
		return nil
	}
	row := append([]int{first}, above(first)[:n-1]...)
	for k, i := range row {
		if d.used[i] = true; k > 0 {
			d.depend(i, row[k-1])
		}
	}
	return row
}

// removable reports whether the edit can take a step away: it is open, nothing that the edit
// wrote names it, and every step that needs it is open and not taken.
func (d *draft) removable(i int) bool {
	return d.isOpen(i) && !d.needed[i] && !slices.ContainsFunc(d.dependents(i), func(j int) bool {
		return d.isDone(j) || d.used[j] || d.gone[j]
	})
}

// dependents lists the steps that depend on one.
func (d *draft) dependents(i int) (list []int) {
	for j := range d.P.Steps {
		if slices.Contains(d.P.Steps[j].Dependencies, d.id(i)) {
			list = append(list, j)
		}
	}
	return list
}

// rewire removes a step, and updates the dependencies of those that needed it.
func (d *draft) rewire(i int) {
	d.takeAway(i)
	for _, j := range d.dependents(i) {
		s := &d.P.Steps[j]
		deps := slices.DeleteFunc(slices.Clone(s.Dependencies), func(dep string) bool { return dep == d.id(i) })
		d.need(deps)
		d.used[j] = true
		d.update(change(s.ID, depending(deps...)))
	}
}

// orphan removes all steps of a row but the last, and leaves dependencies on them in the plan.
func (d *draft) orphan(row []int) {
	if on := d.pick(func(i int) bool { return i < row[0] && !d.gone[i] }); on >= 0 {
		d.needed[on] = true
		d.depend(row[0], on) // so that there is something to bridge
	}
	for _, i := range row[:len(row)-1] {
		d.takeAway(i)
		for _, j := range d.dependents(i) {
			d.used[j] = true
		}
	}
}

// useBlocker takes two done steps, makes the second depend on the first, and makes the
// first open again. It returns -1 if no two done steps are free.
func (d *draft) useBlocker() (blocker, blocked int) {
	blocker = d.pick(func(i int) bool { return d.isDone(i) && !d.needed[i] && d.above(i, d.isDone) >= 0 })
	if blocker < 0 {
		return -1, -1
	}
	blocked = d.above(blocker, d.isDone)
	d.used[blocker], d.used[blocked] = true, true
	d.depend(blocked, blocker)
	d.P.Steps[blocker].Status = plan.Pending
	return blocker, blocked
}

// cycleTraits are dependencies in a circle.
func cycleTraits() []patchTrait {
	row := rows("dependencies")
	cycle := func(name, text, theme, place string, puts lists) patchTrait {
		return row(name, text+": dependency_cycle", theme, place, puts).claiming(aCycle).
			refused("", harness.DependencyCycle)
	}
	ring := func(n func(d *draft) int) func(d *draft) { return func(d *draft) { d.ring(n(d)) } }
	closing := func(use func(i int, d *draft) bool, other func(d *draft, i int) int) func(d *draft) bool {
		return func(d *draft) bool {
			i := d.pick(func(i int) bool { return use(i, d) && other(d, i) >= 0 })
			if i < 0 {
				return false
			}
			j := other(d, i)
			d.P.Steps[i].Status = plan.Pending
			d.used[i], d.used[j] = true, true
			d.depend(j, i)
			d.closes(i, j)
			d.spared |= adds
			return true
		}
	}
	return []patchTrait{
		cycle("dependency-self-add", "an added step depends on itself", "self-dependency", "add", adds).
			just(ring(func(*draft) int { return 1 })),
		cycle("dependency-self-update", "an update makes a step depend on itself", "self-dependency", "update", updates).
			onOpen(func(d *draft, i int) { d.closes(i, i) }),
		cycle("cycle-two-add", "two added steps depend on each other", "cycle", "add", adds).
			just(ring(func(*draft) int { return 2 })),
		cycle("cycle-two-update", "an updated and an added step depend on each other", "cycle", "update", updates|adds).
			onOpen(func(d *draft, i int) {
				d.needed[i] = true
				v := d.freshOn(d.id(i))
				d.update(change(d.id(i), depending(idOf(v))))
				d.add(v)
			}),
		cycle("cycle-n", "three to eight added steps form a dependency cycle", "long cycle", "add", adds).
			just(ring(func(d *draft) int { return 3 + d.Below(6) })),
		cycle("cycle-of-updates", "two updates make their steps depend on each other", "cycle of old steps", "update",
			updates).takes(0, 2).does(func(d *draft) bool { return d.oldRing(2) }),
		cycle("cycle-of-updates-long", "three or four updates create a dependency cycle", "long cycle of old steps", "update",
			updates).takes(0, 4).does(func(d *draft) bool { return d.oldRing(3 + d.Below(2)) }),
		cycle("cycle-by-update", "an update makes a step depend on one that already depends on it", "cycle of old steps",
			"update", updates).inBase().takes(0, 2).does(closing(func(i int, d *draft) bool { return d.isOpen(i) },
			func(d *draft, i int) int { return d.above(i, d.isOpen) })),
		cycle("cycle-through-done", "an update makes a step depend on a finished step that depends on it",
			"cycle through a done step", "update", updates).inBase().takes(2, 0).
			does(closing(func(i int, d *draft) bool { return d.isDone(i) },
				func(d *draft, i int) int { return d.above(i, d.isDone) })),
	}
}

// ring adds n steps that form a cycle: each depends on the next, the last on the first.
func (d *draft) ring(n int) {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = d.newID()
	}
	for i, id := range ids {
		d.add(d.step(id, d.phrase(""), append(d.lower(d.base, d.Below(3)), ids[(i+1)%n])))
	}
}

// oldRing makes n open steps depend on each other in a ring, by an update each. No
// plain addition leads into it.
func (d *draft) oldRing(n int) bool {
	ring := make([]int, n)
	for k := range ring {
		if ring[k] = d.useOpen(); ring[k] < 0 {
			return false
		}
	}
	for k, i := range ring {
		d.closes(i, ring[(k+1)%n])
	}
	d.spared |= adds
	return true
}

// closes updates a step so that it depends on another alone.
func (d *draft) closes(i, on int) {
	d.needed[on] = true
	d.update(change(d.id(i), depending(d.id(on))))
}
