package generate

import (
	"slices"

	"replanbench/harness/plan"
)

// newStepRank is the rank of steps that the edit adds: above all others.
const newStepRank = 1 << 30

// The places of items in a list: traits put theirs anywhere below tail, the items
// of the plain edit are spread over the same range.
const tail = 1 << 20

// put places an item somewhere in a list. What it does to the label it carries
// itself.
func (d *draft) put(list *[]item, x item) effect {
	x.key = d.Below(tail)
	*list = append(*list, x)
	return planted
}

// end places an item at the end of a list.
func end(list *[]item, x item) {
	x.key = tail + len(*list)
	*list = append(*list, x)
}

// spread assigns positions to the items after the first n.
func spread(list []item, n int) {
	for i := range list[n:] {
		list[n+i].key = (i + 1) * tail / (len(list) - n + 1)
	}
}

// edit makes the plain edit of one to three operations. It changes something
// unless it is bare or traits use everything.
func (d *draft) edit() {
	doc := &d.doc
	removed, updated, added, title := len(doc.removes), len(doc.updates), len(doc.adds), doc.newTitle
	kinds := d.operations()
	if kinds&removing != 0 {
		d.removeLeaf()
	}
	if kinds&updating != 0 {
		d.update()
	}
	if kinds&adding != 0 {
		d.add()
	}
	same := removed+updated+added == len(doc.removes)+len(doc.updates)+len(doc.adds)
	new, free := d.phrase(d.P.Title), title == "" && doc.title == "" && !d.lacks("title")
	switch {
	case free && (same || kinds&titling != 0):
		doc.newTitle = new
	case same && d.spared&adds == 0 && !d.lacks("add"):
		d.add()
	case same && d.spared&updates == 0 && !d.lacks("update"):
		d.update()
	}
	if d.bare {
		for _, r := range doc.removes[removed:] {
			d.removed[r.at] = false
		}
		doc.removes, doc.updates, doc.adds, doc.newTitle = doc.removes[:removed], doc.updates[:updated], doc.adds[:added],
			title
	}
	spread(doc.removes, removed)
	spread(doc.updates, updated)
	spread(doc.adds, added)
}

// The operations of a plain edit.
const (
	adding = 1 << iota
	updating
	removing
	titling
)

// operations draws one to three operations, among those that the engine has and
// that the traits leave to the plain edit; of a small edit one.
func (d *draft) operations() int {
	kinds := 1 + d.Below(14) // all but the four together
	if d.small {
		kinds = 1 << d.Below(4)
	}
	if d.staying() == 0 {
		kinds |= adding
	}
	without := 0
	for _, not := range [...]struct {
		is   bool
		kind int
	}{
		{d.lacks("add") || d.spared&adds != 0, adding},
		{d.lacks("update") || d.spared&updates != 0, updating},
		{d.lacks("remove") || d.spared&removes != 0, removing},
		{d.lacks("title"), titling},
	} {
		if not.is {
			without |= not.kind
		}
	}
	if kinds &^= without; kinds == 0 {
		kinds = 15 &^ without
	}
	return kinds
}

// removeLeaf removes a step on which none depends.
func (d *draft) removeLeaf() {
	if d.staying() < 2 {
		return
	}
	if i := d.useLeaf(); i >= 0 {
		d.takeAway(i)
		d.doc.removes = append(d.doc.removes, d.removal(i))
	}
}

// staying returns how many steps nobody takes away.
func (d *draft) staying() (n int) {
	for _, gone := range d.gone {
		if !gone {
			n++
		}
	}
	return n
}

func (d *draft) hasDependents(i int) bool {
	return slices.ContainsFunc(d.P.Steps, func(s plan.Step) bool {
		return slices.Contains(s.Dependencies,
			d.P.Steps[i].ID)
	})
}

// update rewrites a step that is not done, all members given.
func (d *draft) update() {
	i := d.use(d.pickStep(func(i int) bool { return d.isOpen(i) && d.keepsAll(i) }))
	if i < 0 {
		return
	}
	s := &d.P.Steps[i]
	d.need(s.Dependencies)
	d.doc.updates = append(d.doc.updates, item{at: i, has: hasAll, step: plan.Step{
		ID: s.ID, Description: d.phrase(s.Description), Dependencies: s.Dependencies, ToolsExpected: d.tools(),
	}})
}

// add puts a new step at the end.
func (d *draft) add() { d.doc.adds = append(d.doc.adds, d.newItem()) }

// keepsAll reports whether none of the step's dependencies goes.
func (d *draft) keepsAll(i int) bool {
	for j := range d.P.Steps {
		if d.gone[j] && slices.Contains(d.P.Steps[i].Dependencies, d.P.Steps[j].ID) {
			return false
		}
	}
	return true
}

// newItem returns a new step with up to two dependencies, on steps of the plan.
func (d *draft) newItem() item {
	return item{at: -1, step: plan.Step{
		ID: d.newID(), Description: d.phrase(""), Status: plan.Pending, ToolsExpected: d.tools(),
		Dependencies: d.lower(newStepRank, d.Below(3)),
	}}
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

// removable reports whether the edit can take a step away: it is not done, no
// done step needs it, nothing that the edit wrote names it, and of the steps
// that need it all are free and few.
func (d *draft) removable(i int) bool {
	return d.isOpen(i) && !d.needed[i] && d.dependents(i) >= 0
}

// dependents returns how many steps depend on one, -1 if any of them is done or
// taken.
func (d *draft) dependents(i int) (n int) {
	for j := range d.P.Steps {
		switch {
		case !slices.Contains(d.P.Steps[j].Dependencies, d.P.Steps[i].ID):
		case d.isDone(j) || d.used[j] || d.gone[j]:
			return -1
		default:
			n++
		}
	}
	return n
}

// remove takes a step away and writes new dependencies for those that had it.
func (d *draft) remove(i int) {
	d.takeAway(i)
	d.put(&d.doc.removes, d.removal(i))
	gone := &d.P.Steps[i]
	for j := range d.P.Steps {
		s := &d.P.Steps[j]
		if !slices.Contains(s.Dependencies, gone.ID) {
			continue
		}
		deps := slices.DeleteFunc(slices.Clone(s.Dependencies), func(dep string) bool { return dep == gone.ID })
		d.need(deps)
		d.used[j] = true
		d.put(&d.doc.updates, item{at: j, has: hasDependencies, step: plan.Step{ID: s.ID, Dependencies: deps}})
	}
}
