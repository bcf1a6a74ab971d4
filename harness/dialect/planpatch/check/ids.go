package check

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// OwnIDs is the capability that an engine lacks whose ids are its own, such as the positions of the steps.
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

// called maps the ids of steps to known ones. The first steps of known belong to the right plan: what no
// description decides is called by them, in their order.
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
