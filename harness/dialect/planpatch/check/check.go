// Package check contains the properties that outcomes of the dialect planpatch must have,
// whatever the profile. It does not import the rules.
package check

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
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

// rejectedByRules reports whether the label of the case, or else the reference, rejects it.
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

// OwnIDs is a capability. An engine lacks it if its ids are its own, such as the positions of the steps.
const OwnIDs = "id"

// alignIDs returns the outcome with the ids of the right one, or else of the old plan, if the engine declares that its
// ids are its own. Equal descriptions name a step, and after them the order.
func alignIDs(x *judge.Examination, want *harness.Outcome) *harness.Outcome {
	p := x.Out.Plan
	if p == nil || !x.Lacks(OwnIDs) || !unique(p) {
		return &x.Out
	}
	var known []plan.Step
	if want.Plan != nil {
		known = slices.Clone(want.Plan.Steps)
	}
	right := len(known)
	if x.Before != nil {
		for _, s := range x.Before.Steps {
			if !slices.ContainsFunc(known, func(k plan.Step) bool { return k.ID == s.ID }) {
				known = append(known, s)
			}
		}
	}
	out, names := x.Out, called(p.Steps, known, right)
	out.Plan = check.Renamed(p, func(id string) string {
		return cmp.Or(names[id], "#"+id) // a known step may have the id itself
	})
	return &out
}

// unique reports whether no id is blank and all differ.
func unique(p *plan.Plan) bool {
	ids := collect.Map(p.Steps, func(s plan.Step) string { return strings.TrimSpace(s.ID) })
	return !slices.Contains(ids, "") && !repeats(ids)
}

// called maps the ids of steps to known ones, by description or else in the order of the first, right ones.
func called(steps, known []plan.Step, right int) map[string]string {
	names := map[string]string{}
	places := map[string][]int{} // by description
	for i, k := range known {
		places[k.Description] = append(places[k.Description], i)
	}
	used := make([]bool, len(known))
	for _, s := range steps {
		if at := places[s.Description]; len(at) > 0 {
			names[s.ID], used[at[0]], places[s.Description] = known[at[0]].ID, true, at[1:]
		}
	}
	next := 0
	for _, s := range steps {
		if names[s.ID] != "" {
			continue
		}
		for next < right && used[next] {
			next++
		}
		if next < right {
			names[s.ID], used[next] = known[next].ID, true
		}
	}
	return names
}
