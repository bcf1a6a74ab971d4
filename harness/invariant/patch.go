package invariant

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// The names of the checks of patches alone.
const (
	Progress     = "progress"
	PermuteLists = "permute-lists"
	DiffPatch    = "diff-patch"
)

// patchRulesAll says how outcomes are judged.
func patchRulesAll() Rules {
	progress := safety(Progress, "an accepted reply changes the plan", (*examination).progress)
	return Rules{
		Checks: slices.Concat(
			Answers(), Plans(), []Check{progress}, patchRules(),
			[]Check{Again(), Growth()}, relatedPatchRules(), Oracles(),
		),
		Plan:    func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Missing: patchMissing,
	}
}

// patchMissing: only who gives up planning has no plan.
func patchMissing(x *examination) string {
	if x.out.Plan == nil && !x.mayReact() {
		return "plan"
	}
	return ""
}

// mayReact reports whether an applied outcome without a plan makes sense.
func (x *examination) mayReact() bool {
	if x.out.Rung != "" {
		return x.out.Rung == harness.RungReact
	}
	return slices.Contains(x.profile.Ladder, harness.RungReact)
}

// patchRules look at what a patch or a full plan asks for.
func patchRules() []Check {
	return []Check{
		safety(UntouchedKept, untouchedText, (*examination).untouchedKept),
		safety(NoSilentLoss, lossText, (*examination).noSilentLoss),
	}
}

// relatedPatchRules compare a patch with others derived from it.
func relatedPatchRules() []Check {
	return []Check{
		metamorphic(RenameIDs, renameText, (*examination).renameIDs),
		metamorphic(PermuteLists, "the order of remove_steps and update_steps changes nothing", (*examination).permuteLists),
		metamorphic(Layout, layoutText, (*examination).layout),
		metamorphic(DiffPatch, "a patch made from the old and the new plan leads from one to the other", (*examination).diffPatch),
		metamorphic(ApplyTwice, twiceText, (*examination).applyTwice),
	}
}

// progress: what was accepted did something.
func (x *examination) progress() result {
	if !x.edited() || x.out.Rung == harness.RungReact {
		return skip()
	}
	if x.before.Equal(x.after) {
		return broke("", "", "the reply was applied and yet the plan is the old one")
	}
	return held()
}
