package defects

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// limitRows are defects of the limit on a plan's steps.
func limitRows() []row {
	return []row{
		{"off-by-one-limit", "lets a plan have one step more than its limit", limit(func(n int, _ *plan.Plan) int { return n + 1 })},
		{"ignores-limit", "adds steps without looking at the limit", limit(func(int, *plan.Plan) int { return 1 << 30 })},
		{"counts-done-against-limit", "counts a done step against the limit twice, as a step and as one to carry over", limit(func(n int, p *plan.Plan) int { return max(1, n-done(p)) })},
		{"forgets-done-in-limit", "does not count done steps against the limit", limit(func(n int, p *plan.Plan) int { return n + done(p) })},
		{"reply-limit-off-by-one", "refuses a reply that is just as large as allowed", lower(func(l *harness.Limits) **int { return &l.MaxReplyBytes })},
		{"depth-limit-off-by-one", "refuses an object that nests just as deep as allowed", lower(func(l *harness.Limits) **int { return &l.MaxDepth })},
		{"zero-means-no-limit", "takes a limit below 1 for none", always(zeroIsNoLimit)},
		{"counts-removed-steps", "counts steps that the patch removes against the limit", always(countRemoved)},
		{"truncates-before-checking", "cuts the additions that do not fit before it looks at them", decodingWithLimit(cutAdditions)},
		{"cuts-old-steps", "cuts steps off the end of a plan that is over its limit already", insteadOf(harness.OverCapacity, cutOld)},
		{"refuses-to-truncate", "refuses a patch of which only a part fits", refusing(harness.WarnTruncated, harness.OverCapacity)},
		{"hides-truncation", "drops what does not fit without a word", answering(hideTruncation)},
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
func limit(other func(n int, p *plan.Plan) int) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		old, err := plan.Decode(c.Plan)
		if n := c.Limits.MaxPlanSteps; err == nil && n != nil && *n > 0 {
			m := other(*n, old)
			c.Limits.MaxPlanSteps = &m
		}
		return right(c, p)
	})
}

// lower lowers a limit by one.
func lower(limit func(*harness.Limits) **int) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		if n := limit(&c.Limits); *n != nil && **n > 1 {
			*n = new(**n - 1)
		}
		return right(c, p)
	})
}

func zeroIsNoLimit(c harness.Case, p harness.Profile) harness.Outcome {
	for _, n := range []**int{&c.Limits.MaxPlanSteps, &c.Limits.MaxReplyBytes, &c.Limits.MaxDepth} {
		if *n != nil && **n < 1 {
			*n = nil
		}
	}
	return right(c, p)
}

// countRemoved drops, after the fact, as many additions as there were removals
// for which there is room only since they are gone.
func countRemoved(c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	limit := c.Limits.MaxPlanSteps
	if out.Plan == nil || limit == nil || out.Rung == harness.RungFullPlan || out.Meta.Added == 0 {
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

func decodingWithLimit(change func(o object, old *plan.Plan, limit int) bool) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		limit := c.Limits.MaxPlanSteps
		if limit == nil || *limit < 1 {
			return right(c, p)
		}
		out := right(redecoded(c, func(o object, old *plan.Plan) bool { return change(o, old, *limit) }), p)
		if want := right(c, p); want.Verdict == harness.Applied && out.Verdict == harness.Applied {
			return want // with its warning of what was cut
		}
		return out
	})
}

func cutAdditions(o object, old *plan.Plan, limit int) bool {
	room := limit - len(old.Steps)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(o.ids("remove_steps")))) {
		if stands(old, id) != nil {
			room++
		}
	}
	if room < 1 {
		return false
	}
	return o.filter("add_steps", func(*strictjson.Value) bool {
		room--
		return room < 0
	})
}

// cutOld makes room by cutting the plan, finished work and all.
func cutOld(c harness.Case, p harness.Profile) harness.Outcome {
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

func hideTruncation(out *harness.Outcome) {
	if out.Plan == nil || warned(out, harness.WarnTruncated) == nil {
		return
	}
	unwarn(out, harness.WarnTruncated)
	meta := *out.Meta
	meta.TruncatedAdd, meta.Dropped = false, []string{}
	out.Meta = &meta
	out.Events = nil
}
