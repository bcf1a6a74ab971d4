package generate

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// In a draft of a full plan the document's adds are its steps: those with at
// name a step of the old plan.

// fullEdit makes a plain full plan. It has every step except perhaps the last;
// one may have other words, one may be new. It changes something unless told to be
// bare; then it is the old plan again.
func (d *draft) fullEdit() {
	kinds := 1 + d.Below(14)
	if d.small {
		kinds = 1 << d.Below(4)
	}
	dropped, reworded := -1, -1
	if kinds&removing != 0 && d.staying() > 1 && d.free() > d.owed {
		dropped = d.useLeaf()
	}
	if dropped >= 0 {
		d.gone[dropped], d.removed[dropped] = true, !d.bare
	}
	if kinds&updating != 0 && d.free() > d.owed {
		reworded = d.useOpen()
	}
	fresh, words, title := d.newItem(), d.phrase(d.P.Steps[max(reworded, 0)].Description), d.phrase(d.P.Title)
	for i := range d.P.Steps {
		a := d.told(i)
		if i == reworded && !d.bare {
			a.step.Description = words
		}
		if i != dropped || d.bare {
			d.doc.adds = append(d.doc.adds, a)
		}
	}
	if d.bare {
		spread(d.doc.adds, 0)
		return
	}
	titled := kinds&titling != 0 && d.doc.title == ""
	if titled {
		d.doc.newTitle = title
	}
	if kinds&adding != 0 || dropped < 0 && reworded < 0 && !titled {
		d.doc.adds = append(d.doc.adds, fresh)
	}
	spread(d.doc.adds, 0)
}

// told returns a step of the old plan as a reply tells it: what is not done is to
// be done.
func (d *draft) told(i int) item {
	s := &d.P.Steps[i]
	a := item{at: i, step: *s}
	if a.step.Extra = nil; d.isOpen(i) {
		a.step.Status = plan.Pending
	}
	return a
}

// replaced is the full plan carried out, with what the rules refuse in it.
func (d *draft) replaced() (*plan.Plan, []effect) {
	after := &plan.Plan{Title: cmp.Or(d.doc.newTitle, d.P.Title), VerificationPolicy: d.P.VerificationPolicy}
	if d.doc.policy != "" && d.doc.policy != "null" {
		after.VerificationPolicy = strings.Trim(d.doc.policy, `"`)
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
			steps = slices.Insert(steps, d.placeOf(steps, stands, i), d.P.Steps[i])
			stands[i] = true
		}
	}
	d.inOldOrder(steps)
	return steps
}

// placeOf returns the place directly behind the nearest earlier step of the old
// plan that stands in the new one, or the front.
func (d *draft) placeOf(steps []plan.Step, stands []bool, i int) int {
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
