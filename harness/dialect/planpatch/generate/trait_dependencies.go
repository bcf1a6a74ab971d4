package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// dependencies are edges that lead to steps that are unknown, removed or oddly spelled.
func dependencies() map[string]planting {
	// onRow plants a trait on open steps that depend on each other in a row.
	onRow := func(steps int, plant func(d *draft, row []int)) planting {
		return func(d *draft) bool {
			row := d.row(steps)
			if row != nil {
				plant(d, row)
			}
			return row != nil
		}
	}
	return map[string]planting{
		"dependency-unknown-add": just(func(d *draft) { d.addOn(d.newID()) }),
		"dependency-unknown-update": onOpen(func(d *draft, i int) {
			d.update(change(d.id(i), depending(d.newID())))
		}),
		"dependency-removed": onLeaf((*draft).takeAway, func(d *draft, i int) { d.addOn(d.id(i)) }),
		"removal-rewired":    onRow(2, func(d *draft, row []int) { d.rewire(row[0]) }),
		"orphan-by-removal":  onRow(2, (*draft).orphan),
		"orphans-in-a-row":   onRow(3, (*draft).orphan),
		"orphan-updated": onRow(2, func(d *draft, row []int) {
			d.reworded(row[1])
			d.orphan(row)
		}),
		"orphan-of-done": on(func(d *draft) int { i, _ := d.useBlocker(); return i }, (*draft).takeAway),
		"dependency-truncated": just(func(d *draft) {
			last := d.fresh()
			end(&d.adds, d.freshOn(idOf(last)))
			end(&d.adds, last)
			d.limiting = oneTooMany
		}),
		"dependency-duplicate": func(d *draft) bool {
			return d.addOnOld(func(ids ...string) []string { return append(ids, ids[0]) }, 1)
		},
		"dependency-duplicate-apart": func(d *draft) bool {
			return d.addOnOld(func(ids ...string) []string {
				slices.Sort(ids)
				slices.Reverse(ids)
				return append(ids, ids[0], ids[1])
			}, 3)
		},
		"dependency-case": func(d *draft) bool {
			id := d.anyID()
			other := otherCase(id)
			if other != id {
				d.addOn(other)
			}
			return other != id
		},
		"dependency-on-next": just(func(d *draft) {
			last := d.fresh()
			d.add(d.freshOn(idOf(last)))
			d.add(last)
			inOrder(d.adds)
		}),
		"dependency-on-previous": just(func(d *draft) {
			first := d.fresh()
			d.add(first)
			d.add(d.freshOn(idOf(first)))
			inOrder(d.adds)
		}),
		"dependency-on-added": func(d *draft) bool {
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
		},
		"update-unknown": just(func(d *draft) { d.update(change(d.newID(), described(d.phrase("")))) }),
		"remove-unknown": just(func(d *draft) { d.remove(d.newID()) }),
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

// row takes n open steps that the edit may remove, and makes each depend on the one before; nil if there are none.
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

// removable reports whether a step is open, not named by the edit, and needed only by open steps that are not taken.
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

// useBlocker takes two done steps. No written dependency names the first one: see usePair.
func (d *draft) useBlocker() (blocker, blocked int) {
	return d.usePair(d.isDone, func(i int) bool { return !d.needed[i] })
}

// usePair takes two steps of a kind; first accepts the first one. The second then depends on the first, now an open
// one.
// It returns -1 if no such steps are free.
func (d *draft) usePair(kind, first func(i int) bool) (i, j int) {
	i = d.pick(func(i int) bool { return kind(i) && first(i) && d.above(i, kind) >= 0 })
	if i < 0 {
		return -1, -1
	}
	j = d.above(i, kind)
	d.used[i], d.used[j] = true, true
	d.depend(j, i)
	d.P.Steps[i].Status = plan.Pending
	return i, j
}

// cycles are dependencies in a circle.
func cycles() map[string]planting {
	// closing makes a step depend on a later one of its kind that depends on it.
	closing := func(kind func(d *draft, i int) bool) planting {
		return func(d *draft) bool {
			of := func(i int) bool { return kind(d, i) }
			i, j := d.usePair(of, of)
			if i >= 0 {
				d.closes(i, j)
				d.spared |= aAdds
			}
			return i >= 0
		}
	}
	return map[string]planting{
		"dependency-self-add":    just(func(d *draft) { d.ring(1) }),
		"dependency-self-update": onOpen(func(d *draft, i int) { d.closes(i, i) }),
		"cycle-two-add":          just(func(d *draft) { d.ring(2) }),
		"cycle-two-update": onOpen(func(d *draft, i int) {
			d.needed[i] = true
			v := d.freshOn(d.id(i))
			d.update(change(d.id(i), depending(idOf(v))))
			d.add(v)
		}),
		"cycle-n":               just(func(d *draft) { d.ring(3 + d.Below(6)) }),
		"cycle-of-updates":      func(d *draft) bool { return d.oldRing(2) },
		"cycle-of-updates-long": func(d *draft) bool { return d.oldRing(3 + d.Below(2)) },
		"cycle-by-update":       closing((*draft).isOpen),
		"cycle-through-done":    closing((*draft).isDone),
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

// oldRing makes n open steps depend on each other in a ring, by an update each, without plain additions.
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
	d.spared |= aAdds
	return true
}

// closes updates a step so that it depends on another alone.
func (d *draft) closes(i, on int) {
	d.needed[on] = true
	d.update(change(d.id(i), depending(d.id(on))))
}
