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
	progress := judge.Holds(Progress, "an accepted reply changes the plan", progress)
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
		judge.Holds(check.UntouchedKept, check.UntouchedText, untouchedKept),
		judge.Holds(check.NoSilentLoss, check.LossText, noSilentLoss),
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
	if x.Before.Equal(x.After) {
		return judge.Broke("", "", "", "the reply was applied, but the plan is the old one")
	}
	return judge.Held()
}
