package defect

import (
	"bytes"
	"runtime"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/plan"
)

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

// stalePlan keeps a plan with new steps under the old one, and edits it the
// next time. It forgets the plans of all but at most a hundred requests.
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

// countRepeats counts the pairs of equal bytes in a word, one by one, with
// every second byte as the second of the pair.
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
