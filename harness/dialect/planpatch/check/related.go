package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/hunt/judge"
)

// permuteLists checks that the order of remove_steps and update_steps has no effect.
func permuteLists(x *judge.Examination) judge.Result {
	r := single(x)
	if r == nil || r.full || len(r.remove) < 2 && len(r.update) < 2 || repeats(ids(r.update)) { // the last one may win
		return judge.Skip()
	}
	c := check.WithReply(x, r.Rewrite(check.ReverseSets(spec.Layout())))
	return x.Related(c, x.Out.Plan, "remove_steps and update_steps are reversed")
}

// diffPatch checks that a patch derived from the two plans gives the same new plan.
func diffPatch(x *judge.Examination) judge.Result {
	if !x.Edited() || !slices.Contains(x.Profile.Ladder, harness.RungPatch) {
		return judge.Skip()
	}
	doc, ok := patch(x.Before, x.After)
	if !ok || len(doc) > harness.DefaultMaxReplyBytes {
		return judge.Skip()
	}
	c := check.WithReply(x, string(doc))
	c.Limits = harness.Limits{}
	out, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	if out.Plan == nil {
		return x.Parted(c, out, judge.Broke("", "", "verdict", "the patch derived from the two plans gives "+
			judge.Answer(out)))
	}
	if d := outcome.Plans(x.After, out.Plan); d != nil {
		return x.Parted(c, out, judge.Broke("", d.Step, d.Field, "the patch derived from the two plans gives another plan: "+
			d.Words))
	}
	return judge.Held()
}

// applyTwice checks that an accepted reply is also safe on the plan that it made.
func applyTwice(x *judge.Examination) judge.Result {
	i, ok := check.AppliedReply(x)
	if !ok {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Replies = c.Replies[i : i+1]
	return check.Twice(x, c, plans(), judge.Check{Name: Progress, Run: progress},
		judge.Check{Name: check.UntouchedKept, Run: untouchedKept}, judge.Check{Name: check.NoSilentLoss, Run: noSilentLoss})
}
