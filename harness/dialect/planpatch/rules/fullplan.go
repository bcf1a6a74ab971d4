package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// applyFullPlan replaces the plan. Done steps stay as they are, and under carry_over=restore dropped ones return.
func (a *application) applyFullPlan(f *fullPlan) *harness.Refusal {
	a.names.spellAll(f.steps)
	a.mentioned = ids(f.steps)
	if len(f.steps) == 0 {
		return harness.RefuseAt(harness.EmptyPlan, "/steps", "the plan has no steps")
	}
	if i := repeated(a.mentioned); i >= 0 {
		return refuse(harness.DuplicateID, f.steps[i].at, "duplicate id %q", f.steps[i].id)
	}
	steps := a.takeOver(f)
	if a.profile.CarryOver == harness.Restore {
		steps = a.restore(steps)
		a.orderDone(steps)
	}
	kept := a.cut(steps)
	if len(a.old.Steps) == 0 && len(a.dropped) > 0 { // a first plan has no older one to fall back to
		kept = a.without(kept, plan.Needing(steps, collect.Set(a.dropped)))
	}
	next := &plan.Plan{Title: a.title(f.title), Steps: kept, VerificationPolicy: a.old.VerificationPolicy}
	if f.policy != nil {
		next.VerificationPolicy = *f.policy
	}
	return a.finish(next, "/steps")
}

// takeOver returns the reply's steps, with done steps in place of steps with their ids.
func (a *application) takeOver(f *fullPlan) []plan.Step {
	steps := make([]plan.Step, len(f.steps))
	a.written = make([]*entry, 0, len(f.steps))
	for i := range f.steps {
		s := &f.steps[i]
		if at := a.names.At(s.id); at >= 0 && a.old.Steps[at].Status == plan.Done {
			steps[i] = a.old.Steps[at]
			continue
		}
		if steps[i] = a.newStep(s); f.statuses[i] != plan.Pending {
			a.warnings.Add(harness.WarnStatusForced, s.id)
		}
	}
	return steps
}

// restore inserts done steps that the reply dropped, each after the nearest earlier old step that is left, or at the
// front.
func (a *application) restore(steps []plan.Step) []plan.Step {
	stands := collect.Set(collect.Map(steps, func(s plan.Step) string { return s.ID }))
	behind := map[string][]plan.Step{} // by the id of the step in front
	anchor := ""
	for _, s := range a.old.Steps {
		switch {
		case stands[s.ID]:
			anchor = s.ID
		case s.Status == plan.Done:
			behind[anchor] = append(behind[anchor], s)
			a.warnings.Add(harness.WarnDoneRestored, s.ID)
		}
	}
	all := slices.Clone(behind[""]) // no id is blank
	for _, s := range steps {
		all = append(append(all, s), behind[s.ID]...)
	}
	return all
}

// orderDone gives the done steps their old relative order, at the indexes of done steps.
func (a *application) orderDone(steps []plan.Step) {
	var done []plan.Step
	for _, s := range a.old.Steps {
		if s.Status == plan.Done {
			done = append(done, s)
		}
	}
	for i := range steps {
		if steps[i].Status == plan.Done {
			steps[i], done = done[0], done[1:]
		}
	}
}

// cut drops the last open steps until the plan meets the limit or only done ones are left.
func (a *application) cut(steps []plan.Step) []plan.Step {
	if a.limit == nil {
		return steps
	}
	gone := map[string]bool{}
	for _, s := range slices.Backward(steps) {
		if len(steps)-len(gone) > *a.limit && s.Status != plan.Done {
			gone[s.ID] = true
		}
	}
	return a.without(steps, gone)
}

// without returns the steps without those that the limit leaves out.
func (a *application) without(steps []plan.Step, gone map[string]bool) []plan.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s plan.Step) bool {
		if gone[s.ID] {
			a.drop(s.ID)
		}
		return gone[s.ID]
	})
}
