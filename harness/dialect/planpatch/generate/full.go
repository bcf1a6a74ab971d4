package generate

import (
	"cmp"
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// In a draft of a full plan the document's adds are its steps: those with at
// name a step of the old plan.

// fullEdit makes a sound full plan: every done step stands in it, some of the
// others go or change, some are new.
//
// A bare one is the old plan again.
func (d *draft) fullEdit() {
	if d.bare {
		for i := range d.P.Steps {
			d.doc.adds = append(d.doc.adds, d.told(i))
		}
		return
	}
	for i := range d.P.Steps {
		d.removed[i] = d.isOpen(i) && d.OneIn(4) && !d.doneNeeds(d.P.Steps[i].ID)
	}
	for i := range d.P.Steps {
		if !d.removed[i] {
			d.doc.adds = append(d.doc.adds, d.carried(i))
		}
	}
	fresh := d.Below(3)
	if len(d.doc.adds) == 0 {
		fresh++
	}
	for range fresh {
		a := d.newItem()
		if d.OneIn(4) {
			d.doc.adds = slices.Insert(d.doc.adds, d.Below(len(d.doc.adds)+1), a)
			continue
		}
		d.doc.adds = append(d.doc.adds, a)
	}
	if fresh == 0 || d.OneIn(2) {
		d.doc.newTitle = d.phrase(d.P.Title)
	}
	if d.OneIn(8) {
		d.doc.policy = `"manual_review"`
	}
}

// doneNeeds reports whether a done step depends on the step.
func (d *draft) doneNeeds(id string) bool {
	for i := range d.P.Steps {
		if d.isDone(i) && slices.Contains(d.P.Steps[i].Dependencies, id) {
			return true
		}
	}
	return false
}

// carried returns a step of the old plan as the new plan tells it: a done one
// as it is, another without dependencies that went, perhaps reworded.
func (d *draft) carried(i int) item {
	a := d.told(i)
	if d.isDone(i) {
		return a
	}
	s := &d.P.Steps[i]
	if d.OneIn(3) {
		a.step.Description = d.phrase(s.Description)
	}
	mark := len(d.Arena)
	for _, dep := range s.Dependencies {
		if !d.isRemoved(dep) {
			d.Arena = append(d.Arena, dep)
		}
	}
	a.step.Dependencies = d.List(mark)
	return a
}

// told returns a step of the old plan as a reply tells it, which knows no
// status.
func (d *draft) told(i int) item {
	s := &d.P.Steps[i]
	return item{at: i, step: plan.Step{
		ID: s.ID, Description: s.Description,
		Dependencies: s.Dependencies, Status: plan.Pending, ToolsExpected: s.ToolsExpected,
	}}
}

func (d *draft) isRemoved(id string) bool {
	for i, r := range d.removed {
		if r && d.P.Steps[i].ID == id {
			return true
		}
	}
	return false
}

// fullSize returns how many steps the full plan comes to without a limit.
func (d *draft) fullSize() int { return len(d.carriedOver()) }

// replaced is the full plan carried out, with what the rules refuse in it.
func (d *draft) replaced() (*plan.Plan, []effect) {
	after := &plan.Plan{Title: cmp.Or(d.doc.newTitle, d.P.Title), VerificationPolicy: d.P.VerificationPolicy}
	if d.doc.policy != "" {
		after.VerificationPolicy = d.doc.policy[1 : len(d.doc.policy)-1]
	}
	after.Steps = d.cutToLimit(d.carriedOver())
	_, missing := after.Missing()
	return after, atTheEnd(missing, after.Cycle() != nil, after.Equal(d.P))
}

// carriedOver returns the steps of the full plan with the finished work in
// them: each done step stands there as it was, those that were left out are
// put back, and they keep their order among each other.
func (d *draft) carriedOver() []plan.Step {
	steps := make([]plan.Step, 0, len(d.doc.adds)+2)
	stands := make([]bool, len(d.P.Steps))
	for i := range d.doc.adds {
		a := &d.doc.adds[i]
		switch {
		case a.ghost:
		case a.at >= 0 && d.isDone(a.at):
			steps = append(steps, d.P.Steps[a.at])
			stands[a.at] = true
		default:
			steps = append(steps, a.step)
			if a.at >= 0 {
				stands[a.at] = true
			}
		}
	}
	if d.profile.CarryOver != harness.Restore {
		return steps
	}
	for i := range d.P.Steps {
		if d.isDone(i) && !stands[i] {
			steps = slices.Insert(steps, d.behind(steps, stands, i), d.P.Steps[i])
			stands[i] = true
		}
	}
	d.inOldOrder(steps)
	return steps
}

// behind returns the place directly behind the nearest earlier step of the old
// plan that stands in the new one, or the front.
func (d *draft) behind(steps []plan.Step, stands []bool, i int) int {
	for j := i - 1; j >= 0; j-- {
		if stands[j] {
			return 1 + slices.IndexFunc(steps, func(s plan.Step) bool { return s.ID == d.P.Steps[j].ID })
		}
	}
	return 0
}

// inOldOrder puts the done steps into their old order, in the places that done
// steps hold.
func (d *draft) inOldOrder(steps []plan.Step) {
	at := 0
	for i := range d.P.Steps {
		if d.isOpen(i) {
			continue
		}
		for steps[at].Status != plan.Done {
			at++
		}
		steps[at] = d.P.Steps[i]
		at++
	}
}

// cutToLimit takes the last steps that are not done away until the limit holds.
func (d *draft) cutToLimit(steps []plan.Step) []plan.Step {
	for i := len(steps) - 1; i >= 0 && d.limit > 0 && len(steps) > d.limit; i-- {
		if steps[i].Status != plan.Done {
			steps = slices.Delete(steps, i, i+1)
		}
	}
	return steps
}
