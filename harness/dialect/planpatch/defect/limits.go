package defect

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// limitDefects are defects of the limit on a plan's steps.
func limitDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("off-by-one-limit", "allows one step more than max_plan_steps",
			limit(func(n int, _ *plan.Plan) int { return n + 1 })),
		mutant.New("ignores-limit", "ignores max_plan_steps", limit(func(int, *plan.Plan) int { return 1 << 30 })),
		mutant.New("counts-done-against-limit", "counts each finished step twice against the limit",
			limit(func(n int, p *plan.Plan) int { return max(1, n-done(p)) })),
		mutant.New("forgets-done-in-limit", "does not count finished steps against the limit",
			limit(func(n int, p *plan.Plan) int { return n + done(p) })),
		mutant.New("reply-limit-off-by-one", "rejects a reply of exactly max_reply_bytes",
			mutant.Limit(func(l *harness.Limits) **int { return &l.MaxReplyBytes }, lower)),
		mutant.New("depth-limit-off-by-one", "rejects a reply that nests exactly max_depth levels",
			mutant.Limit(func(l *harness.Limits) **int { return &l.MaxDepth }, lower)),
		mutant.New("zero-means-no-limit", "reads a limit below 1 as no limit", mutant.Asking(zeroIsNoLimit)),
		mutant.New("counts-removed-steps", "counts steps that the patch removes against the limit", mutant.By(countRemoved)),
		mutant.New("truncates-before-checking", "drops additions over the limit before it checks them", mutant.By(cutFirst)),
		mutant.New("cuts-old-steps", "drops old steps from the end of a plan over its limit",
			insteadOf(harness.OverCapacity, cutOld)),
		mutant.New("refuses-plans-above-limit", "rejects every edit of a plan over its limit", mutant.By(refuseAbove)),
		mutant.New("cuts-plans-above-limit", "drops steps of a plan over its limit when a patch adds none",
			editing(cutAbove)),
		mutant.New("cuts-before-restoring", "cuts a full plan to its limit before it restores finished steps",
			mutant.By(cutThenRestore)),
		mutant.New("refuses-to-truncate", "rejects a patch when some additions do not fit",
			refusing(harness.WarnTruncated, harness.OverCapacity)),
		mutant.New("hides-truncation", "drops additions over the limit without a warning", mutant.Answering(hideTruncation)),
	}
}

func done(p *plan.Plan) (n int) {
	for _, s := range p.Steps {
		if s.Status == plan.Done {
			n++
		}
	}
	return n
}

// limit puts another limit in place of the case's, if that has a sound one.
func limit(other func(n int, p *plan.Plan) int) mutant.Wrap {
	return mutant.Asking(func(c *harness.Case) {
		old, err := plan.Decode(c.Plan)
		if n := c.Limits.MaxPlanSteps; err == nil && n != nil && *n > 0 {
			c.Limits.MaxPlanSteps = new(other(*n, old))
		}
	})
}

// lower lowers a limit by one.
func lower(n int) int {
	if n > 1 {
		return n - 1
	}
	return n
}

func zeroIsNoLimit(c *harness.Case) {
	for _, n := range []**int{&c.Limits.MaxPlanSteps, &c.Limits.MaxReplyBytes, &c.Limits.MaxDepth} {
		if *n != nil && **n < 1 {
			*n = nil
		}
	}
}

// countRemoved drops, after the fact, as many additions as there were removals
// for which there is room only since they are gone.
func countRemoved(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	limit := c.Limits.MaxPlanSteps
	if out.Plan == nil || limit == nil || out.Rung == harness.RungFullPlan || out.Meta == nil || out.Meta.Added == 0 {
		return out
	}
	fit := max(0, *limit-len(out.Plan.Steps)+out.Meta.Added-out.Meta.Removed)
	if fit >= out.Meta.Added {
		return out
	}
	c.Limits.MaxPlanSteps = new(len(out.Plan.Steps) - out.Meta.Added + fit)
	if *c.Limits.MaxPlanSteps < 1 {
		return refused(harness.OverCapacity)
	}
	return right(c, p)
}

// cutFirst cuts the additions that do not fit before the reply is looked at.
func cutFirst(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	want, limit := right(c, p), c.Limits.MaxPlanSteps
	if limit == nil || *limit < 1 {
		return want
	}
	out := right(redecoded(c, func(o mutant.Object, old *plan.Plan) { cutAdditions(o, *limit-len(old.Steps), old) }), p)
	if want.Verdict == harness.Applied && out.Verdict == harness.Applied {
		return want // with its warning of what was cut
	}
	return out
}

func cutAdditions(o mutant.Object, room int, old *plan.Plan) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(o.IDs("remove_steps")))) {
		if mutant.Find(old, id) != nil {
			room++
		}
	}
	if room > 0 {
		cutTo(o, "add_steps", &room)
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
func cutOld(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	old, _ := plan.Decode(c.Plan)
	limit := *c.Limits.MaxPlanSteps
	c.Limits.MaxPlanSteps = nil
	out := right(c, p)
	if out.Plan == nil || len(old.Steps) <= limit {
		return out
	}
	out.Plan.Steps = out.Plan.Steps[:limit]
	if out.Plan.Check() != nil {
		return refused(harness.OverCapacity)
	}
	return out
}

func refuseAbove(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if old, err := plan.Decode(c.Plan); err == nil && out.Plan != nil && isAbove(c, old) {
		return refused(harness.OverCapacity)
	}
	return out
}

func isAbove(c harness.Case, p *plan.Plan) bool {
	limit := c.Limits.MaxPlanSteps
	return limit != nil && *limit > 0 && len(p.Steps) > *limit
}

func cutAbove(e mutant.Edit) {
	if isAbove(e.Case, e.Old) && isAbove(e.Case, e.New) {
		e.New.Steps = e.New.Steps[:*e.Case.Limits.MaxPlanSteps]
	}
}

// cutThenRestore raises the limit by as many steps as are put back.
func cutThenRestore(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out, limit := right(c, p), c.Limits.MaxPlanSteps
	if restored := out.Warned(harness.WarnDoneRestored); limit != nil && restored != nil {
		c.Limits.MaxPlanSteps = new(*limit + len(restored))
		return right(c, p)
	}
	return out
}

func hideTruncation(out *harness.Outcome) {
	if out.Meta == nil || out.Warned(harness.WarnTruncated) == nil {
		return
	}
	unwarn(out, harness.WarnTruncated)
	meta := *out.Meta
	meta.TruncatedAdd, meta.Dropped = false, []string{}
	out.Meta = &meta
	out.Events = nil
}
