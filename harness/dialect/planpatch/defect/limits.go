package defect

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// limitDefects are defects of the limit on a plan's steps.
func limitDefects() []mutant.Defect {
	return []mutant.Defect{
		limit("off-by-one-limit", "allows one step more than max_plan_steps", func(n int, _ *plan.Plan) int { return n + 1 }),
		limit("ignores-limit", "ignores max_plan_steps", func(int, *plan.Plan) int { return 1 << 30 }),
		limit("counts-done-against-limit", "counts each finished step twice against the limit",
			func(n int, p *plan.Plan) int { return max(1, n-done(p)) }),
		limit("forgets-done-in-limit", "does not count finished steps against the limit",
			func(n int, p *plan.Plan) int { return n + done(p) }),
		mutant.Limit("reply-limit-off-by-one", "rejects a reply of exactly max_reply_bytes",
			func(l *harness.Limits) **int { return &l.MaxReplyBytes }, lower),
		mutant.Limit("depth-limit-off-by-one", "rejects a reply that nests exactly max_depth levels",
			func(l *harness.Limits) **int { return &l.MaxDepth }, lower),
		mutant.Asks("zero-means-no-limit", "reads a limit below 1 as no limit", func(c *harness.Case) {
			for _, n := range []**int{&c.Limits.MaxPlanSteps, &c.Limits.MaxReplyBytes, &c.Limits.MaxDepth} {
				if *n != nil && **n < 1 {
					*n = nil
				}
			}
		}),
		mutant.Does("counts-removed-steps", "counts steps that the patch removes against the limit", countRemoved),
		mutant.Does("truncates-before-checking", "drops additions over the limit before it checks them",
			func(r mutant.Run) harness.Outcome {
				want, limit := r.Eval(), r.Limits.MaxPlanSteps
				if limit == nil || *limit < 1 {
					return want
				}
				out := decoded(r, func(o mutant.Reply) { cutAdditions(o, *limit-len(o.Old.Steps)) })
				if want.Verdict == harness.Applied && out.Verdict == harness.Applied {
					return want // with its warning of what was cut
				}
				return out
			}),
		insteadOf("cuts-old-steps", "drops old steps from the end of a plan over its limit", harness.OverCapacity, cutOld),
		editing("cuts-plans-above-limit", "drops steps of a plan over its limit when a patch adds none", func(e mutant.Edit) {
			if isAbove(e.Case, e.Old) && isAbove(e.Case, e.New) {
				e.New.Steps = e.New.Steps[:*e.Case.Limits.MaxPlanSteps]
			}
		}),
		mutant.Does("cuts-before-restoring", "cuts a full plan to its limit before it restores finished steps",
			func(r mutant.Run) harness.Outcome {
				out, limit := r.Eval(), r.Limits.MaxPlanSteps
				if restored := out.Warned(harness.WarnDoneRestored); limit != nil && restored != nil {
					r.Limits.MaxPlanSteps = new(*limit + len(restored))
					return r.Eval()
				}
				return out
			}),
		mutant.Answers("hides-truncation", "drops additions over the limit without a warning", func(out *harness.Outcome) {
			if out.Meta == nil || out.Warned(harness.WarnTruncated) == nil {
				return
			}
			unwarn(out, harness.WarnTruncated)
			meta := *out.Meta
			meta.TruncatedAdd, meta.Dropped = false, []string{}
			out.Meta = &meta
			out.Events = nil
		}),
	}
}

func done(p *plan.Plan) int {
	return collect.Count(p.Steps, func(s plan.Step) bool { return s.Status == plan.Done })
}

// limit puts another limit in place of the case's, if that has a sound one.
func limit(name, text string, other func(n int, p *plan.Plan) int) mutant.Defect {
	return mutant.Asks(name, text, func(c *harness.Case) {
		old, err := plan.Decode(c.Plan)
		if n := c.Limits.MaxPlanSteps; err == nil && n != nil && *n > 0 {
			c.Limits.MaxPlanSteps = new(other(*n, old))
		}
	})
}

// lower lowers a limit by one.
func lower(n int) int { return max(n-1, min(n, 1)) }

// countRemoved drops, after the fact, as many additions as there were removals
// for which there is room only since they are gone.
func countRemoved(r mutant.Run) harness.Outcome {
	out := r.Eval()
	limit := r.Limits.MaxPlanSteps
	if out.Plan == nil || limit == nil || out.Rung == harness.RungFullPlan || out.Meta == nil || out.Meta.Added == 0 {
		return out
	}
	fit := max(0, *limit-len(out.Plan.Steps)+out.Meta.Added-out.Meta.Removed)
	if fit >= out.Meta.Added {
		return out
	}
	r.Limits.MaxPlanSteps = new(len(out.Plan.Steps) - out.Meta.Added + fit)
	if *r.Limits.MaxPlanSteps < 1 {
		return refused(harness.OverCapacity)
	}
	return r.Eval()
}

func cutAdditions(o mutant.Reply, room int) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(o.IDs("remove_steps")))) {
		if o.Step(id) != nil {
			room++
		}
	}
	if room > 0 {
		cutTo(o.Object, "add_steps", &room)
	}
}

// cutTo takes what there is no room for out of a list.
func cutTo(o mutant.Object, list string, room *int) {
	o.Filter(list, func(*strictjson.Value) bool {
		*room--
		return *room < 0
	})
}

// cutOld makes room by cutting the plan, finished work and all.
func cutOld(r mutant.Run) harness.Outcome {
	old, _ := plan.Decode(r.Plan)
	limit := *r.Limits.MaxPlanSteps
	r.Limits.MaxPlanSteps = nil
	out := r.Eval()
	if out.Plan == nil || len(old.Steps) <= limit {
		return out
	}
	out.Plan.Steps = out.Plan.Steps[:limit]
	if out.Plan.Check() != nil {
		return refused(harness.OverCapacity)
	}
	return out
}

func isAbove(c harness.Case, p *plan.Plan) bool {
	limit := c.Limits.MaxPlanSteps
	return limit != nil && *limit > 0 && len(p.Steps) > *limit
}
