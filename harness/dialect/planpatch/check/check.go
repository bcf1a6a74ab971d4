// Package check contains the properties that outcomes of the dialect planpatch must have,
// whatever the profile. It does not import the rules.
package check

import (
	_ "embed"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

//go:embed kinds.json
var kinds []byte

// Progress is the name of the check that only planpatch has.
const Progress = "progress"

// Rules returns the checks of the dialect and its plan reader.
func Rules() judge.Rules {
	own := []judge.Check{
		judge.Holds(Progress, "an accepted reply changes the plan", progress),
		judge.Holds(check.UntouchedKept, check.UntouchedText, untouchedKept),
		judge.Holds(check.NoSilentLoss, check.LossText, noSilentLoss),
	}
	return judge.Rules{
		Checks: check.WithKinds(kinds,
			judge.Answers(), plans(), own, []judge.Check{judge.Again(), check.Growth()}, relatedPatchRules(), judge.Oracles(),
		),
		Plan:  func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Align: alignIDs, AlignFirst: OwnIDs,
	}
}

// relatedPatchRules compare a patch with others derived from it.
func relatedPatchRules() []judge.Check {
	only := func(x *judge.Examination) *check.Request {
		if r := single(x); r != nil {
			return r.Request
		}
		return nil
	}
	return append(check.Rewritings(spec.Layout(), only, nil),
		judge.Relates("permute-lists", "the order of remove_steps and update_steps changes nothing", permuteLists),
		judge.Relates("diff-patch", "a patch derived from the old and the new plan turns the old plan into the new one",
			diffPatch),
		judge.Relates(check.ApplyTwice, check.TwiceText, applyTwice),
	)
}

// plans returns the checks of the plans before and after.
func plans() []judge.Check {
	return check.Allowing(check.Plans(), func(x *judge.Examination) map[string]bool { return asks(x).named() })
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
