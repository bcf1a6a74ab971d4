package defect

import (
	"bytes"
	"runtime"
	"slices"
	"strings"

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
		mutant.Does("counts-removed-steps", "counts steps that the patch removes against the limit", func(r mutant.Run) harness.Outcome {
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
		}),
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
		insteadOf("cuts-old-steps", "drops old steps from the end of a plan over its limit", harness.OverCapacity, func(r mutant.Run) harness.Outcome {
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
		}),
		editing("cuts-plans-above-limit", "drops steps of a plan over its limit when a patch adds none", func(e edit) {
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

func isAbove(c harness.Case, p *plan.Plan) bool {
	limit := c.Limits.MaxPlanSteps
	return limit != nil && *limit > 0 && len(p.Steps) > *limit
}

// ladderDefects are defects of the fallback ladder and of atomicity.
func ladderDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.FirstReply("never-retries", "gives up after the first reply"),
		mutant.Does("retries-without-end", "retries until no reply is left", func(r mutant.Run) harness.Outcome {
			i := slices.Index(r.Profile.Ladder, harness.RungRetry)
			if more := len(r.Replies) - i - 1; i >= 0 && more > 0 {
				again := slices.Repeat([]harness.Rung{harness.RungRetry}, more)
				r.Profile.Ladder = slices.Insert(slices.Clone(r.Profile.Ladder), i+1, again...)
			}
			return r.Eval()
		}),
		mutant.Asks("reads-first-reply-again", "reads the rejected reply again instead of the next one",
			func(c *harness.Case) {
				if len(c.Replies) > 1 {
					c.Replies = slices.Clone(c.Replies)
					c.Replies[1] = c.Replies[0]
				}
			}),
		mutant.New("never-takes-full-plans", "has no rung for a full plan", mutant.Under(func(p *harness.Profile) {
			p.Ladder = slices.DeleteFunc(slices.Clone(p.Ladder), func(r harness.Rung) bool { return r == harness.RungFullPlan })
		})),
		mutant.New("gives-up-early", "abandons planning after two failed patches although the ladder has a third rung",
			mutant.Under(func(p *harness.Profile) {
				i := slices.Index(p.Ladder, harness.RungReact)
				if retries := slices.Index(p.Ladder, harness.RungRetry); i > 0 && retries >= 0 {
					p.Ladder = slices.Delete(slices.Clone(p.Ladder), retries+1, i)
				}
			})),
		mutant.New("full-plan-before-giving-up", "tries a full plan where the ladder abandons planning",
			mutant.Under(func(p *harness.Profile) {
				if i := slices.Index(p.Ladder, harness.RungReact); i > 0 && !slices.Contains(p.Ladder, harness.RungFullPlan) {
					p.Ladder = slices.Insert(slices.Clone(p.Ladder), i, harness.RungFullPlan)
				}
			})),
		mutant.Does("half-applied", "keeps the first operation of a patch when the second is rejected",
			func(r mutant.Run) harness.Outcome {
				out := r.Eval()
				if out.Verdict == harness.Rejected {
					out.Plan = half(r)
				}
				return out
			}),
		mutant.Accepts("keeps-plan-instead", plan.Decode),
	}
}

// half applies the first operation of the first reply alone; nil if the reply
// has no second one or cannot be read.
func half(r mutant.Run) *plan.Plan {
	if o := first(r.Case); len(o.IDs("remove_steps"))+len(o.IDs("update_steps"))+len(o.IDs("add_steps")) < 2 {
		return nil
	}
	r.Replies = r.Replies[:1]
	return decoded(r, func(o mutant.Reply) {
		room := 1
		for _, name := range []string{"remove_steps", "update_steps", "add_steps"} {
			cutTo(o.Object, name, &room)
		}
	}).Plan
}

// memoryDefects are defects of state, and of time.
func memoryDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Does("mutates-input", "changes the caller's plan", func(r mutant.Run) harness.Outcome {
			out, i := r.Eval(), bytes.Index(r.Plan, []byte(`"pending"`))
			if i >= 0 && len(first(r.Case).IDs("remove_steps")) > 0 {
				copy(r.Plan[i:], `"blocked"`) // as long
			}
			return out
		}).Beyond("a scenario looks at the outcome, and not at what became of the request"),
		mutant.New("second-answer-differs",
			"keeps a plan to which it added steps and edits it when it sees the old plan again",
			stalePlan).Beyond(mutant.TwoRequests),
		mutant.Asks("quadratic-in-word-length", "takes time quadratic in the length of a word", func(c *harness.Case) {
			// It compares the bytes of a word with those before them. It looks at a bounded part of a word, so that a
			// campaign ends.
			const most = 16 << 10
			repeats := 0
			for _, r := range c.Replies {
				for word := range strings.FieldsSeq(string(r)) {
					repeats += countRepeats(word[:min(len(word), most)])
				}
			}
			runtime.KeepAlive(repeats) // the work is the defect
		}).Beyond("it shows in time alone, which a scenario does not measure"),
		mutant.Hanging("hangs-on-open-fence", "hangs on a code fence that is not closed", func(c harness.Case) bool {
			return slices.ContainsFunc(c.Replies, func(r harness.Reply) bool { return strings.Count(string(r), "```")%2 == 1 })
		}),
	}
}

// stalePlan keeps a plan with new steps under the old one, for up to a hundred plans, and edits it the next time.
func stalePlan(right mutant.Eval) mutant.Eval {
	const most = 100
	kept := map[string]*plan.Plan{}
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		key := string(c.Plan)
		if p := kept[key]; p != nil {
			c = mutant.WithPlan(c, p)
		}
		out := right(c, p)
		if out.Plan != nil && out.Meta != nil && out.Meta.Added > 0 {
			if len(kept) == most {
				clear(kept)
			}
			kept[key] = out.Plan.Clone()
		}
		return out
	}
}

// countRepeats counts pairs of equal bytes in a word, with every second byte as the second one.
func countRepeats(word string) (n int) {
	for i := 0; i < len(word); i += 2 {
		for j := range i {
			if word[i] == word[j] {
				n++
			}
		}
	}
	return n
}
