// Package check contains the properties that outcomes of the dialect planpatch must have,
// whatever the profile. It does not import the rules.
package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// The names of the checks that only planpatch has.
const (
	Progress = "progress"
)

// Rules returns the checks of the dialect and its plan reader.
func Rules() judge.Rules {
	progress := judge.Holds(Progress, "an accepted reply changes the plan", progress).Breaking(
		judge.Says(judge.Accepts, "nothing", "Applies a reply that changes nothing"),
		judge.At(harness.JudgeRules, judge.Says(judge.Loss, "nothing:ASKED", "Reports a reply as applied but changes nothing")))
	return judge.Rules{
		Checks: slices.Concat(
			judge.Answers(), check.Allowing(check.Plans(), named), []judge.Check{progress}, patchRules(),
			[]judge.Check{judge.Again(), check.Growth()}, relatedPatchRules(), judge.Oracles(),
		),
		Plan:  func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Align: alignIDs, AlignFirst: OwnIDs,
	}
}

// patchRules look at what a patch or a full plan asks for.
func patchRules() []judge.Check {
	return []judge.Check{
		judge.Holds(check.UntouchedKept, check.UntouchedText, untouchedKept).Breaking(
			judge.Says(judge.Loss, "gone", "Drops a step that the reply does not name"),
			judge.Says(judge.Loss, "changed:MEMBER", "Changes a step that the reply does not name (…)"),
			judge.At(harness.JudgeRules, judge.Says(judge.Loss, "order", "Reorders steps that the reply does not name"))),
		judge.Holds(check.NoSilentLoss, check.LossText, noSilentLoss).Breaking(
			judge.Says(judge.Loss, "add", "Silently drops an added step"),
			judge.Says(judge.Loss, "step", "Silently drops an open step of a full plan"),
			judge.At(harness.JudgeRules,
				judge.Says(judge.Loss, "title", "Silently ignores a new title"),
				judge.Says(judge.Loss, "remove", "Silently ignores a removal"),
				judge.Says(judge.Loss, "add:MEMBER", "Stores another value in an added step (…)"),
				judge.Says(judge.Loss, "step:MEMBER", "Silently ignores a new value in a full plan (…)"),
				judge.Says(judge.Loss, "update:MEMBER", "Silently ignores an update (…)")),
			judge.Says(judge.Reports, "not-named", "Does not report a request that it ignores or changes")),
	}
}

// relatedPatchRules compare a patch with others derived from it.
func relatedPatchRules() []judge.Check {
	return []judge.Check{
		judge.Relates(check.RenameIDs, check.RenameText, renameIDs),
		judge.Relates("permute-lists", "the order of remove_steps and update_steps changes nothing", permuteLists),
		judge.Relates(check.Layout, check.LayoutText, layout),
		judge.Relates("diff-patch", "a patch derived from the old and the new plan turns the old plan into the new one",
			diffPatch),
		judge.Relates(check.ApplyTwice, check.TwiceText, applyTwice),
	}
}

// named returns the ids that the applied reply names.
func named(x *judge.Examination) map[string]bool {
	r := asks(x)
	if r == nil {
		return nil
	}
	return r.named()
}

// progress checks that an accepted reply changes the plan.
func progress(x *judge.Examination) judge.Result {
	if !x.Edited() || x.Out.Rung == harness.RungReact {
		return judge.Skip()
	}
	if !x.Before.Equal(x.After) {
		return judge.Held()
	}
	kind := "nothing:asked"
	if rejectedByRules(x) {
		if x.Lacks("empty patch") {
			return judge.Skip()
		}
		kind = "nothing"
	}
	return judge.Broke(kind, "", "", "the reply was applied, but the plan did not change")
}

// rejectedByRules reports whether the case must be refused, as its maker knows, or
// else the reference.
func rejectedByRules(x *judge.Examination) bool {
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
