package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/check"
	"replanbench/harness/judge"
	"replanbench/harness/plan"
)

// The names of the checks of patches alone.
const (
	Progress     = "progress"
	PermuteLists = "permute-lists"
	DiffPatch    = "diff-patch"
)

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	progress := judge.Holds(Progress, "an accepted reply changes the plan", progress).Breaking(
		judge.Says(judge.Accepts, "nothing", "a reply that changes nothing is applied"),
		judge.Says(judge.Loss, "nothing:ASKED", "what a reply asks for is not done, and it is applied"))
	return judge.Rules{
		Checks: slices.Concat(
			judge.Answers(), check.Plans(), []judge.Check{progress}, patchRules(),
			[]judge.Check{judge.Again(), check.Growth()}, relatedPatchRules(), judge.Oracles(),
		),
		Plan: func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
	}
}

// patchRules look at what a patch or a full plan asks for.
func patchRules() []judge.Check {
	return []judge.Check{
		judge.Holds(check.UntouchedKept, check.UntouchedText, untouchedKept).Breaking(
			judge.Says(judge.Loss, "gone", "a step that the reply does not name is gone"),
			judge.Says(judge.Loss, "changed:MEMBER", "a step that the reply does not name is changed (…)"),
			judge.Says(judge.Loss, "order", "steps that the reply does not name change places")),
		judge.Holds(check.NoSilentLoss, check.LossText, noSilentLoss).Breaking(
			judge.Says(judge.Loss, "title", "a new title is silently ignored"),
			judge.Says(judge.Loss, "remove", "a removal is silently ignored"),
			judge.Says(judge.Loss, "add", "an added step is silently lost"),
			judge.Says(judge.Loss, "update:MEMBER", "an update is silently lost (…)"),
			judge.Says(judge.Reports, "not-named", "what cannot be done as asked is not named")),
	}
}

// relatedPatchRules compare a patch with others derived from it.
func relatedPatchRules() []judge.Check {
	return []judge.Check{
		judge.Relates(check.RenameIDs, check.RenameText, renameIDs),
		judge.Relates(PermuteLists, "the order of remove_steps and update_steps changes nothing", permuteLists),
		judge.Relates(check.Layout, check.LayoutText, layout),
		judge.Relates(DiffPatch, "a patch made from the old and the new plan leads from one to the other", diffPatch),
		judge.Relates(check.ApplyTwice, check.TwiceText, applyTwice),
	}
}

// progress: what was accepted did something.
func progress(x *judge.Examination) judge.Result {
	if !x.Edited() || x.Out.Rung == harness.RungReact {
		return judge.Skip()
	}
	if !x.Before.Equal(x.After) {
		return judge.Held()
	}
	kind := "nothing:asked"
	if refusedByRules(x) {
		kind = "nothing"
	}
	return judge.Broke(kind, "", "", "the reply was applied, but the plan is the old one")
}

// refusedByRules reports whether the case must be refused, as its maker knows, or
// else the reference.
func refusedByRules(x *judge.Examination) bool {
	if l := x.Item.Label; l != nil {
		return l.Verdict == harness.Rejected
	}
	if x.Judge.Options.Reference == nil {
		return false
	}
	c := x.Item.Case
	c.Profile = &x.Profile
	out, err := x.Judge.Options.Reference.Eval(x.Ctx, c)
	return err == nil && out.Verdict == harness.Rejected
}
