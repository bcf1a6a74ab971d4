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

// memoryDefects are defects of state, and of time.
func memoryDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("mutates-input", "changes the caller's plan",
			mutant.By(mutate)).Beyond("a scenario looks at the outcome, and not at what became of the request"),
		mutant.New("second-answer-differs", "keeps a plan to which it added steps and edits it when it sees the old plan "+
			"again", stalePlan).Beyond(mutant.TwoRequests),
		mutant.New("remembers-added-ids", "treats an id that an earlier request added as a duplicate",
			rememberIDs).Beyond(mutant.TwoRequests),
		mutant.New("quadratic-in-word-length", "takes time quadratic in the length of a word",
			mutant.Asking(slowOnWords)).Beyond("it shows in time alone, which a scenario does not measure"),
		mutant.Hanging("hangs-on-open-fence", "hangs on a code fence that is not closed", openFence),
	}
}

// mutate changes a status in place when a reply removes something.
func mutate(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if o, ok := first(c); ok && len(o.IDs("remove_steps")) > 0 {
		if i := bytes.Index(c.Plan, []byte(`"pending"`)); i >= 0 {
			copy(c.Plan[i:], `"blocked"`) // as long
		}
	}
	return out
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

// rememberIDs remembers up to a hundred ids.
func rememberIDs(right mutant.Eval) mutant.Eval {
	const most = 100
	seen := map[string]bool{}
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		out := right(c, p)
		old, err := plan.Decode(c.Plan)
		if out.Plan == nil || err != nil {
			return out
		}
		for _, s := range out.Plan.Steps {
			if old.Step(s.ID) != nil {
				continue
			}
			if seen[s.ID] {
				return refused(harness.DuplicateID)
			}
			if len(seen) >= most {
				clear(seen)
			}
			seen[s.ID] = true
		}
		return out
	}
}

// slowOnWords compares the bytes of a word with those before them. Of a word it
// looks at a bounded part, so that a campaign ends.
func slowOnWords(c *harness.Case) {
	const most = 16 << 10
	repeats := 0
	for _, r := range c.Replies {
		for word := range strings.FieldsSeq(string(r)) {
			repeats += countRepeats(word[:min(len(word), most)])
		}
	}
	runtime.KeepAlive(repeats) // the work is the defect
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

// openFence reports whether a code fence of a reply does not close.
func openFence(c harness.Case) bool {
	return slices.ContainsFunc(c.Replies, func(r harness.Reply) bool { return strings.Count(string(r), "```")%2 == 1 })
}
