package defect

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// finishedDefects are defects by which finished work is lost, changed or forged.
func finishedDefects() []mutant.Defect {
	return []mutant.Defect{
		insteadOf("spelled-done", `removes and changes finished steps with a misspelled status ("Done", "completed")`,
			harness.InvalidPlan, spelledDone),
		insteadOf("updates-done-steps", "updates finished steps",
			harness.DoneImmutable, unprotected(func(o mutant.Object) []string { return o.IDs("update_steps") }, plan.Done)),
		insteadOf("removes-done-steps", "removes finished steps",
			harness.DoneImmutable, unprotected(func(o mutant.Object) []string {
				return slices.DeleteFunc(o.IDs("remove_steps"), func(id string) bool { return o.Has("add_steps", id) })
			}, plan.Done)),
		insteadOf("redoes-done-steps", "replaces a finished step with a pending one when a patch removes and adds it",
			harness.DoneImmutable, unprotected(func(o mutant.Object) []string {
				return slices.DeleteFunc(o.IDs("remove_steps"), func(id string) bool { return !o.Has("add_steps", id) })
			}, plan.Pending)),
		stepwise("accepts-forged-done", "accepts the status done of an added step",
			believe(harness.RungPatch, harness.RungRetry)),
		stepwise("forged-done-in-full-plan", "accepts the status done of a new step in a full plan",
			believe(harness.RungFullPlan)),
		mutant.Follows("done-by-id-only", "keeps only the finished steps that a full plan names", spec.Knobs(),
			"carry_over=by_id"),
		doneInReply("reopens-done-steps", "reopens finished steps that a full plan marks as open",
			func(s *plan.Step, item mutant.Object) {
				if v := item.Get("status"); v != nil && v.Text != "" && !says(item, plan.Done) {
					s.Status = plan.Pending
				}
			}),
		doneInReply("rewrites-done-steps", "keeps the status of a finished step but takes its text from a full plan",
			func(s *plan.Step, item mutant.Object) {
				if v := item.Get("description"); v != nil && v.Kind == strictjson.String {
					s.Description = v.Text
				}
			}),
		mutant.Does("cuts-done-steps", "drops finished steps when a full plan exceeds the limit", cutDone),
		editing("restores-done-at-end", "restores lost finished steps at the end of a full plan", func(e mutant.Edit) {
			lost := e.Out.Warned(harness.WarnDoneRestored)
			order(e.New, func(s plan.Step) int {
				if slices.Contains(lost, s.ID) {
					return 1
				}
				return 0
			})
		}),
		doneInReply("loses-results-in-full-plan", "drops unknown members of finished steps with a full plan",
			func(s *plan.Step, _ mutant.Object) { s.Extra = nil }),
	}
}

// spelledDone reads a plan whose statuses are spelled otherwise, and does not
// know that they mean done.
func spelledDone(r mutant.Run) harness.Outcome {
	said := map[string]plan.Status{}
	r.Plan = mutant.Rewrite(r.Plan, func(o mutant.Object) {
		for _, item := range o.Items("steps") {
			v := item.Get("status")
			if v == nil || v.Text == string(plan.Done) || !meansDone(v.Text) {
				continue
			}
			if i := item.Get("id"); i != nil {
				said[i.Text] = plan.Status(v.Text)
			}
			*v = mutant.Text(string(plan.Pending))
		}
	})
	out := r.Eval()
	for s := range mutant.Steps(out.Plan) {
		if status, ok := said[s.ID]; ok {
			s.Status = status
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
func unprotected(named func(o mutant.Object) []string, status plan.Status) mutant.Way {
	return mutant.Reopened(plan.Decode, func(c harness.Case) []string { return named(first(c)) }, plan.Done,
		plan.InProgress, status)
}

// believe takes over that new steps are done, on some rungs.
func believe(rungs ...harness.Rung) func(e edit, s *plan.Step) {
	return func(e edit, s *plan.Step) {
		if !slices.Contains(rungs, e.Out.Rung) || e.Old.Step(s.ID) != nil {
			return
		}
		if item, ok := e.written(s.ID); ok && says(item, plan.Done) {
			s.Status = plan.Done
		}
	}
}

// says reports whether an item has that status, as careless readers spell it.
func says(item mutant.Object, status plan.Status) bool {
	v := item.Get("status")
	return v != nil && strings.EqualFold(v.Text, string(status))
}

// doneInReply changes the done steps of the new plan that a full plan wrote
// something of.
func doneInReply(name, text string, change func(s *plan.Step, item mutant.Object)) mutant.Defect {
	return stepwise(name, text, func(e edit, s *plan.Step) {
		if e.Out.Rung != harness.RungFullPlan || s.Status != plan.Done {
			return
		}
		if item, ok := e.written(s.ID); ok {
			change(s, item)
		}
	})
}

func cutDone(r mutant.Run) harness.Outcome {
	limit := r.Limits.MaxPlanSteps
	out := r.Eval()
	if limit == nil || out.Plan == nil || out.Rung != harness.RungFullPlan {
		return out
	}
	r.Limits.MaxPlanSteps = nil
	whole := r.Eval()
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
