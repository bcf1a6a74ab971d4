package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// applyFullPlan replaces the plan by a full plan. Finished steps
// stay: a step with a done step's id becomes that step, and by the policy
// carry_over=restore, dropped done steps are restored.
func (a *application) applyFullPlan(f *fullPlan) (*result, *harness.Refusal) {
	a.names.spellSteps(f.steps)
	a.mentioned = collect.Map(f.steps, func(s plan.Step) string { return s.ID })
	if len(f.steps) == 0 {
		return nil, harness.RefuseAt(harness.EmptyPlan, "/steps", "the plan has no steps")
	}
	if i := duplicate(len(f.steps), func(i int) string { return f.steps[i].ID }); i >= 0 {
		return nil, refuse(harness.DuplicateID, item("/steps", i), "duplicate id %q", f.steps[i].ID)
	}
	steps := a.takeOver(f)
	if a.profile.CarryOver == harness.Restore {
		steps = a.restore(steps)
		a.orderDone(steps)
	}
	whole := steps
	steps = a.cut(steps)
	if len(a.old.Steps) == 0 && len(a.dropped) > 0 {
		steps = a.cutDependents(steps, whole)
	}
	if len(a.dropped) > 0 {
		a.warnings.Add(harness.WarnTruncated, a.dropped...)
	}
	next := &plan.Plan{Title: a.title(f.title), Steps: steps, VerificationPolicy: a.old.VerificationPolicy}
	if f.policy != nil {
		next.VerificationPolicy = *f.policy
	}
	return a.finish(next, "/steps")
}

func (a *application) wasDone(id string) (plan.Step, bool) {
	i := a.names.At(id)
	if i < 0 || a.old.Steps[i].Status != plan.Done {
		return plan.Step{}, false
	}
	return a.old.Steps[i], true
}

// takeOver returns the reply's steps, with done steps in place of steps with
// their ids.
func (a *application) takeOver(f *fullPlan) []plan.Step {
	steps := make([]plan.Step, len(f.steps))
	for i, s := range f.steps {
		if done, ok := a.wasDone(s.ID); ok {
			steps[i] = done
			continue
		}
		s.Description = a.stored(s.Description)
		s.Dependencies = a.write(s.Dependencies, source{id: s.ID, path: item("/steps", i)})
		if f.said[i] != plan.Pending {
			a.warnings.Add(harness.WarnStatusForced, s.ID)
		}
		steps[i] = s
	}
	return steps
}

// restore inserts done steps that the reply dropped, each directly after the
// nearest earlier step of the old plan that is in the new one, else at the
// front.
func (a *application) restore(steps []plan.Step) []plan.Step {
	stands := collect.Set(collect.Map(steps, func(s plan.Step) string { return s.ID }))
	behind := map[string][]plan.Step{} // by the id of the step in front
	anchor, lost := "", 0
	for _, s := range a.old.Steps {
		switch {
		case stands[s.ID]:
			anchor = s.ID
		case s.Status == plan.Done:
			behind[anchor] = append(behind[anchor], s)
			a.warnings.Add(harness.WarnDoneRestored, s.ID)
			lost++
		}
	}
	if lost == 0 {
		return steps
	}
	all := make([]plan.Step, 0, len(steps)+lost)
	all = append(all, behind[""]...) // no id is blank
	for _, s := range steps {
		all = append(append(all, s), behind[s.ID]...)
	}
	return all
}

// orderDone gives the done steps their old relative order, at the indexes of
// done steps.
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

// cut drops the last open steps until the plan meets the limit or only
// done ones are left.
func (a *application) cut(steps []plan.Step) []plan.Step {
	if a.limit == nil || len(steps) <= *a.limit {
		return steps
	}
	excess := len(steps) - *a.limit
	keep := make([]bool, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		keep[i] = excess == 0 || steps[i].Status == plan.Done
		if !keep[i] {
			excess--
		}
	}
	var kept []plan.Step
	for i, s := range steps {
		if keep[i] {
			kept = append(kept, s)
		} else {
			a.dropped = append(a.dropped, s.ID)
		}
	}
	return kept
}

// cutDependents drops the steps of a whole plan that depend on dropped ones too, one through
// another: a first plan has no older one to fall back to.
func (a *application) cutDependents(steps, whole []plan.Step) []plan.Step {
	gone := plan.Needing(whole, collect.Set(a.dropped))
	return slices.DeleteFunc(steps, func(s plan.Step) bool {
		if gone[s.ID] {
			a.dropped = append(a.dropped, s.ID)
		}
		return gone[s.ID]
	})
}
