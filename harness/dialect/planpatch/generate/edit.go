package generate

import (
	"slices"

	"replanbench/harness/plan"
)

// newStepRank is the rank of steps that the edit adds: above all others.
const newStepRank = 1 << 30

// Kinds of changes in an edit.
const (
	adding = 1 << iota
	updating
	removing
	titling
)

// edit makes the sound edit that the faults are then planted in. It changes
// something unless told to be bare.
func (d *draft) edit(bare bool) {
	if bare {
		return
	}
	kinds := 1 + d.Below(15)
	if kinds&titling != 0 {
		d.doc.newTitle = d.phrase(d.P.Title)
	}
	if kinds&removing != 0 {
		for range 1 + d.Below(2) {
			d.remove(d.pickStep(d.removable))
		}
	}
	if kinds&updating != 0 {
		d.update(d.useOpen(), hasDescription) // which changes it for certain
		for range d.Below(3) {
			d.update(d.useOpen(), uint8(1+d.Below(7)))
		}
	}
	kept, _ := d.count()
	if kinds&adding != 0 || kept == 0 || len(d.doc.updates)+len(d.doc.removes) == 0 {
		n := 1 + d.Below(3)
		if d.OneIn(64) {
			n += d.Below(20)
		}
		for range n {
			d.add()
		}
	}
}

// removable reports whether the edit can take a step away: it is not done, no
// done step needs it, nothing that the edit wrote names it, and of the steps
// that need it all are free and few.
func (d *draft) removable(i int) bool {
	if d.isDone(i) || d.needed[i] {
		return false
	}
	dependents := 0
	for j := range d.P.Steps {
		if d.removed[j] || !slices.Contains(d.P.Steps[j].Dependencies, d.P.Steps[i].ID) {
			continue
		}
		if d.isDone(j) || d.used[j] || dependents == 3 {
			return false
		}
		dependents++
	}
	return true
}

// remove takes a step away and writes new dependencies for those that had it.
func (d *draft) remove(i int) {
	if i < 0 {
		return
	}
	d.used[i], d.removed[i] = true, true
	d.doc.removes = append(d.doc.removes, d.removal(i))
	gone := &d.P.Steps[i]
	for j := range d.P.Steps {
		s := &d.P.Steps[j]
		if d.removed[j] || !slices.Contains(s.Dependencies, gone.ID) {
			continue
		}
		mark := len(d.Arena)
		for _, dep := range s.Dependencies {
			if dep != gone.ID {
				d.Arena = append(d.Arena, dep)
			}
		}
		deps := d.List(mark)
		d.need(deps)
		d.used[j] = true
		d.doc.updates = append(d.doc.updates, item{
			at: j, has: hasDependencies,
			step: plan.Step{ID: s.ID, Dependencies: deps},
		})
	}
}

// removal is an item that takes a step away.
func (d *draft) removal(i int) item { return item{at: i, step: plan.Step{ID: d.P.Steps[i].ID}} }

// need marks the steps that a written dependency names.
func (d *draft) need(deps []string) {
	for _, id := range deps {
		for i := range d.P.Steps {
			if d.P.Steps[i].ID == id {
				d.needed[i] = true
			}
		}
	}
}

// update changes members of a step that is not done.
func (d *draft) update(i int, has uint8) {
	if i < 0 {
		return
	}
	s := &d.P.Steps[i]
	u := item{at: i, has: has, step: plan.Step{ID: s.ID}}
	if u.has&hasDescription != 0 {
		u.step.Description = d.phrase(s.Description)
	}
	if u.has&hasTools != 0 {
		u.step.ToolsExpected = d.Tools()
	}
	if u.has&hasDependencies != 0 {
		u.step.Dependencies = d.lower(d.Rank[i], d.Below(3))
	}
	d.doc.updates = append(d.doc.updates, u)
}

// add puts a new step at the end, sometimes before a step that is not done:
// then that one comes to depend on it.
func (d *draft) add() *item {
	a := d.newItem()
	if d.OneIn(4) {
		if j := d.use(d.pickStep(func(i int) bool { return d.isOpen(i) && d.keepsAll(i) })); j >= 0 {
			old := d.P.Steps[j].Dependencies
			a.step.Dependencies = slices.Clone(old)
			d.need(old)
			d.doc.updates = append(d.doc.updates, item{
				at: j, has: hasDependencies,
				step: plan.Step{ID: d.P.Steps[j].ID, Dependencies: append(slices.Clone(old), a.step.ID)},
			})
		}
	}
	d.doc.adds = append(d.doc.adds, a)
	return &d.doc.adds[len(d.doc.adds)-1]
}

// keepsAll reports whether none of the step's dependencies goes.
func (d *draft) keepsAll(i int) bool {
	for j := range d.P.Steps {
		if d.removed[j] && slices.Contains(d.P.Steps[i].Dependencies, d.P.Steps[j].ID) {
			return false
		}
	}
	return true
}

// newItem returns a new step with up to two dependencies, on steps of the plan
// and on the new step before it.
func (d *draft) newItem() item {
	a := item{at: -1, step: plan.Step{
		ID: d.newID(), Description: d.phrase(""), Status: plan.Pending, ToolsExpected: d.Tools(),
	}}
	deps := d.lower(newStepRank, d.Below(3))
	if n := len(d.doc.adds); n > 0 && d.OneIn(3) {
		if last := &d.doc.adds[n-1]; last.sound() && !slices.Contains(deps, last.step.ID) {
			deps = append(deps, last.step.ID)
		}
	}
	a.step.Dependencies = deps
	return a
}

// sound reports whether nothing is wrong with an added step.
func (a *item) sound() bool {
	return a.at < 0 && !a.ghost && a.read == "" && a.apply == "" && a.edges == "" && a.twist == nil
}
