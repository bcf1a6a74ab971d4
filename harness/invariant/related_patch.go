package invariant

import (
	"replanbench/harness"
	"replanbench/harness/plan"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// renameIDs: names mean nothing.
func (x *examination) renameIDs() result {
	r := x.single()
	if r == nil || !x.plainIDs() || !r.plainIDs() {
		return skip()
	}
	rename := renamer()
	c := x.withReply(r.rewrite(rewriter{rename: rename}))
	var err error
	if c.Plan, err = json.Marshal(renamed(x.before, rename)); err != nil {
		return skip()
	}
	var want *plan.Plan
	if x.out.Plan != nil {
		want = renamed(x.out.Plan, rename)
	}
	return x.related(c, want, "every id is renamed")
}

// permuteLists: the order of the lists of a patch that are sets means nothing.
func (x *examination) permuteLists() result {
	r := x.single()
	if r == nil || r.full || len(r.remove) < 2 && len(r.update) < 2 {
		return skip()
	}
	var ids set
	for i := range r.update {
		id := strings.TrimSpace(r.update[i].id)
		if ids.has(id) {
			return skip() // which one is last matters
		}
		ids.add(id)
	}
	c := x.withReply(r.rewrite(rewriter{reverseLists: true}))
	return x.related(c, x.out.Plan, "remove_steps and update_steps are reversed")
}

// layout: it is the same JSON.
func (x *examination) layout() result { return x.relaid(x.single()) }

// diffPatch: what was reached can be reached by the patch that a diff makes.
func (x *examination) diffPatch() result {
	if !x.edited() || !slices.Contains(x.profile.Ladder, harness.RungPatch) {
		return skip()
	}
	patch, ok := plan.Patch(x.before, x.after)
	if !ok || len(patch) > harness.DefaultMaxReplyBytes {
		return skip()
	}
	c := x.withReply(string(patch))
	c.Limits = harness.Limits{}
	out, ok := x.again(c)
	if !ok {
		return skip()
	}
	if out.Plan == nil {
		return broke("", "verdict", "the patch made from the old and the new plan gives "+Answer(out))
	}
	if step, field, words, differ := firstDifference(x.after, out.Plan); differ {
		return broke(step, field, "the patch made from the old and the new plan leads elsewhere: "+words)
	}
	return held()
}

// applyTwice: an accepted reply is safe on the plan that it made, too.
func (x *examination) applyTwice() result {
	i, ok := x.appliedReply()
	if !ok || !x.edited() || x.after.Check() != nil {
		return skip()
	}
	c := x.item.Case
	c.Replies = c.Replies[i : i+1]
	var err error
	if c.Plan, err = json.Marshal(x.after); err != nil {
		return skip()
	}
	return x.twice(c, (*examination).progress, (*examination).untouchedKept, (*examination).noSilentLoss)
}
