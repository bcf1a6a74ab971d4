package defects

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// finishedRows are defects by which finished work is lost, changed or forged.
func finishedRows() []row {
	return []row{
		{"spelled-done", `removes and changes done steps whose status is spelled otherwise ("Done", "completed")`, insteadOf(harness.InvalidPlan, spelledDone)},
		{"updates-done-steps", "changes steps that are done", insteadOf(harness.DoneImmutable, unprotected(updated, plan.Done))},
		{"removes-done-steps", "removes steps that are done", insteadOf(harness.DoneImmutable, unprotected(removed, plan.Done))},
		{"redoes-done-steps", "replaces a done step that is removed and added, and starts it again", insteadOf(harness.DoneImmutable, unprotected(replaced, plan.Pending))},
		{"accepts-forged-done", "believes an added step that says it is done", editing(believe(harness.RungPatch, harness.RungRetry))},
		{"forged-done-in-full-plan", "believes a new step of a full plan that says it is done", editing(believe(harness.RungFullPlan))},
		{"done-by-id-only", "carries over the done steps that a full plan names, and loses the others", policy(func(p *harness.Profile) { p.CarryOver = harness.ByID })},
		{"reopens-done-steps", "believes a full plan that says of a done step that it is not", editing(reopen)},
		{"rewrites-done-steps", "keeps the status of a done step in a full plan, and takes its text from the reply", editing(rewriteDone)},
		{"cuts-done-steps", "cuts a full plan at its limit, done steps too", always(cutDone)},
		{"restores-done-at-end", "puts done steps that a full plan lost at its end", editing(restoreAtEnd)},
		{"loses-results-in-full-plan", "loses the unknown members of done steps with a full plan", editing(loseResults)},
	}
}

// spelledDone reads a plan whose statuses are spelled otherwise, and does not
// know that they mean done.
func spelledDone(c harness.Case, p harness.Profile) harness.Outcome {
	said := map[string]plan.Status{}
	c.Plan = []byte(rewrite(string(c.Plan), func(o object) bool {
		for _, item := range o.items("steps") {
			v := item.Get("status")
			if v == nil || v.Text == string(plan.Done) || !meansDone(v.Text) {
				continue
			}
			if i := item.Get("id"); i != nil {
				said[i.Text] = plan.Status(v.Text)
			}
			*v = textValue(string(plan.Pending))
		}
		return true
	}))
	out := right(c, p)
	if out.Plan != nil {
		for i := range out.Plan.Steps {
			if status, ok := said[out.Plan.Steps[i].ID]; ok {
				out.Plan.Steps[i].Status = status
			}
		}
	}
	return out
}

// meansDone reports whether a person would read the status as done.
func meansDone(status string) bool {
	s := strings.ToLower(strings.TrimSpace(status))
	return s == "done" || s == "completed"
}

// unprotected applies the first reply as if the done steps that it names were
// not, and gives them a status in the end.
func unprotected(named func(o object) []string, status plan.Status) flaw {
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		open, err := plan.Decode(c.Plan)
		o, ok := first(c)
		if err != nil || !ok {
			return right(c, p)
		}
		var ids []string
		for _, id := range named(o) {
			if s := stands(open, id); s != nil && s.Status == plan.Done {
				s.Status = plan.InProgress
				ids = append(ids, s.ID)
			}
		}
		out := right(withPlan(c, open), p)
		for _, id := range ids {
			if out.Plan != nil && out.Plan.Step(id) != nil {
				out.Plan.Step(id).Status = status
			}
		}
		return out
	}
}

func updated(o object) []string { return o.ids("update_steps") }

func removed(o object) []string {
	return slices.DeleteFunc(o.ids("remove_steps"), func(id string) bool { return o.has("add_steps", id) })
}

func replaced(o object) []string {
	return slices.DeleteFunc(o.ids("remove_steps"), func(id string) bool { return !o.has("add_steps", id) })
}

// believe takes over that new steps are done, on some rungs.
func believe(rungs ...harness.Rung) func(e edit) {
	return func(e edit) {
		if !slices.Contains(rungs, e.out.Rung) {
			return
		}
		for i := range e.new.Steps {
			s := &e.new.Steps[i]
			if item, ok := written(e.c, s.ID); ok && e.old.Step(s.ID) == nil && says(item, plan.Done) {
				s.Status = plan.Done
			}
		}
	}
}

// says reports whether an item has that status, as careless readers spell it.
func says(item object, status plan.Status) bool {
	v := item.Get("status")
	return v != nil && strings.EqualFold(v.Text, string(status))
}

// doneInReply calls f with the done steps of the new plan that a full plan
// wrote something of.
func doneInReply(e edit, f func(s *plan.Step, item object)) {
	if e.out.Rung != harness.RungFullPlan {
		return
	}
	for i := range e.new.Steps {
		s := &e.new.Steps[i]
		if item, ok := written(e.c, s.ID); ok && s.Status == plan.Done {
			f(s, item)
		}
	}
}

func reopen(e edit) {
	doneInReply(e, func(s *plan.Step, item object) {
		if v := item.Get("status"); v != nil && v.Text != "" && !says(item, plan.Done) {
			s.Status = plan.Pending
		}
	})
}

func rewriteDone(e edit) {
	doneInReply(e, func(s *plan.Step, item object) {
		if v := item.Get("description"); v != nil && v.Kind == strictjson.String {
			s.Description = v.Text
		}
	})
}

func cutDone(c harness.Case, p harness.Profile) harness.Outcome {
	limit := c.Limits.MaxPlanSteps
	out := right(c, p)
	if limit == nil || out.Plan == nil || out.Rung != harness.RungFullPlan {
		return out
	}
	c.Limits.MaxPlanSteps = nil
	whole := right(c, p)
	if whole.Plan == nil || len(whole.Plan.Steps) <= *limit {
		return out
	}
	whole.Plan.Steps = whole.Plan.Steps[:*limit]
	if whole.Plan.Check() != nil {
		return out
	}
	out.Plan = whole.Plan
	return out
}

func restoreAtEnd(e edit) {
	lost := warned(e.out, harness.WarnDoneRestored)
	isLost := func(s plan.Step) bool { return slices.Contains(lost, s.ID) }
	var restored []plan.Step
	for _, s := range e.new.Steps {
		if isLost(s) {
			restored = append(restored, s)
		}
	}
	e.new.Steps = append(slices.DeleteFunc(e.new.Steps, isLost), restored...)
}

func loseResults(e edit) {
	doneInReply(e, func(s *plan.Step, _ object) { s.Extra = nil })
}
