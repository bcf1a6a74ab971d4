package defects

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// ladderRows are defects of the fallback ladder and of atomicity.
func ladderRows() []row {
	return []row{
		{"never-retries", "gives up after the first reply", always(neverRetry)},
		{"retries-without-end", "asks again as long as there are replies", always(retryOn)},
		{"reads-first-reply-again", "reads the reply that was refused again instead of the next", always(readAgain)},
		{"never-takes-full-plans", "has no rung for a full plan", policy(dropFullPlans)},
		{"half-applied", "keeps the first operation of a patch when the second is refused", always(halfApplied)},
		{"retries-half-applied", "tries the next reply on a plan to which half of the refused one was applied", always(retryOnHalf)},
		{"always-replan-failed", "says replan_failed of a single refused reply too", always(alwaysFailed)},
	}
}

func neverRetry(c harness.Case, p harness.Profile) harness.Outcome {
	if len(c.Replies) > 1 {
		c.Replies = c.Replies[:1]
	}
	return right(c, p)
}

func retryOn(c harness.Case, p harness.Profile) harness.Outcome {
	i := slices.Index(p.Ladder, harness.RungRetry)
	if i < 0 {
		return right(c, p)
	}
	more := len(c.Replies) - i - 1
	p.Ladder = slices.Insert(slices.Clone(p.Ladder), i+1, slices.Repeat([]harness.Rung{harness.RungRetry}, max(0, more))...)
	return right(c, p)
}

func readAgain(c harness.Case, p harness.Profile) harness.Outcome {
	if len(c.Replies) > 1 {
		c.Replies = slices.Clone(c.Replies)
		c.Replies[1] = c.Replies[0]
	}
	return right(c, p)
}

func dropFullPlans(p *harness.Profile) {
	p.Ladder = slices.DeleteFunc(slices.Clone(p.Ladder), func(r harness.Rung) bool { return r == harness.RungFullPlan })
}

// half applies the first operation of the first reply alone; nil if the reply
// has no second one or cannot be read.
func half(c harness.Case, p harness.Profile) *plan.Plan {
	o, ok := first(c)
	if !ok || len(o.ids("remove_steps"))+len(o.ids("update_steps"))+len(o.ids("add_steps")) < 2 {
		return nil
	}
	c.Replies = c.Replies[:1]
	return right(redecoded(c, func(o object, _ *plan.Plan) bool {
		room := 1
		for _, name := range []string{"remove_steps", "update_steps", "add_steps"} {
			o.filter(name, func(*strictjson.Value) bool {
				room--
				return room < 0
			})
		}
		return true
	}), p).Plan
}

func halfApplied(c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if out.Verdict == harness.Rejected {
		out.Plan = half(c, p)
	}
	return out
}

func retryOnHalf(c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if len(c.Replies) < 2 || out.Rung == harness.RungPatch {
		return out
	}
	if p := half(c, p); p != nil {
		c = withPlan(c, p)
	}
	return right(c, p)
}

func alwaysFailed(c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if n := len(out.Events); n > 0 && out.Events[n-1].Event == harness.EventReplanFailed {
		out.Code, out.At = harness.ReplanFailed, nil
	}
	return out
}
