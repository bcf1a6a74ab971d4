package defect

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/plan"
)

// finishedDefects are defects by which finished work is lost, changed or forged.
func finishedDefects() []mutant.Defect {
	return []mutant.Defect{
		insteadOf("spelled-done", `removes and changes finished steps with a misspelled status ("Done", "completed")`,
			harness.InvalidPlan, spelledDone),
		insteadOf("updates-done-steps", "updates finished steps",
			harness.DoneImmutable, unprotected(func(o mutant.Object) []string { return o.IDs("update_steps") })),
		insteadOf("removes-done-steps", "removes finished steps",
			harness.DoneImmutable, unprotected(func(o mutant.Object) []string {
				return slices.DeleteFunc(o.IDs("remove_steps"), func(id string) bool { return o.Has("add_steps", id) })
			})),
		stepwise("accepts-forged-done", "accepts the status done of an added step", func(e edit, s *plan.Step) {
			if e.Out.Rung == harness.RungFullPlan || e.Old.Step(s.ID) != nil {
				return
			}
			if item, ok := e.written(s.ID); ok && strings.EqualFold(item.Text("status"), string(plan.Done)) {
				s.Status = plan.Done
			}
		}),
		mutant.Follows("done-by-id-only", "keeps only the finished steps that a full plan names", spec.Knobs(),
			"carry_over=by_id"),
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

// unprotected applies the first reply as if the done steps that it names were not.
func unprotected(named func(o mutant.Object) []string) mutant.Way {
	return mutant.Reopened(plan.Decode, func(c harness.Case) []string { return named(first(c)) }, plan.Done,
		plan.InProgress, plan.Done)
}
