package invariant

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// untouchedKept: a patch leaves alone what it does not name. A full plan names
// the plan as a whole.
func (x *examination) untouchedKept() result {
	if !x.edited() || x.out.Rung == harness.RungFullPlan {
		return skip()
	}
	r := x.asks()
	if r == nil || r.full {
		return skip()
	}
	named := r.nameSet()
	last, res := -1, skip()
	for i := range x.before.Steps {
		s := &x.before.Steps[i]
		if named.has(strings.TrimSpace(s.ID)) {
			continue
		}
		res = held()
		at := x.new.at(s.ID)
		if at < 0 {
			return broke(s.ID, "steps", fmt.Sprintf("step %q is gone, and the reply does not name it", s.ID))
		}
		field := stepDifference(s, &x.after.Steps[at])
		if field == "dependencies" && x.orphaned(s, &x.after.Steps[at]) {
			field = ""
		}
		if field != "" {
			return broke(s.ID, field, fmt.Sprintf("the reply does not name step %q, and it was changed: %s", s.ID, change(field, s, &x.after.Steps[at])))
		}
		if at < last {
			return broke(s.ID, "order", fmt.Sprintf("step %q changed places with another that the reply does not name", s.ID))
		}
		last = at
	}
	return res
}

// orphaned reports whether a step lost only edges to removed steps, under a
// policy that takes them away, and the outcome says so.
func (x *examination) orphaned(old, new *plan.Step) bool {
	code := ""
	switch x.profile.Orphans {
	case harness.Detach:
		code = harness.WarnDetached
	case harness.Bridge:
		code = harness.WarnBridged
	}
	if !warned(x.out.Warnings, code, old.ID) {
		return false
	}
	for _, d := range old.Dependencies {
		if x.new.at(d) >= 0 && !slices.Contains(new.Dependencies, d) {
			return false
		}
	}
	rest := new.Clone()
	rest.Dependencies = old.Dependencies
	return old.Equal(rest)
}

func warned(list []harness.Warning, code, id string) bool {
	for _, w := range list {
		if w.Code == code && slices.Contains(w.IDs, id) {
			return true
		}
	}
	return false
}

// noSilentLoss: a wish is fulfilled or the outcome names it.
func (x *examination) noSilentLoss() result {
	if !x.edited() {
		return skip()
	}
	r := x.asks()
	if r == nil || r.full != (x.out.Rung == harness.RungFullPlan) && x.out.Rung != "" || !x.plainIDs() {
		return skip()
	}
	if t := strings.TrimSpace(r.title); t != "" && t != x.after.Title {
		return broke("", "title", fmt.Sprintf("the reply asks for the title %q, the new plan has %q, and the outcome does not say why", brief(t), brief(x.after.Title)))
	}
	for _, id := range r.remove {
		if res := x.removed(strings.TrimSpace(id)); res.broken != nil {
			return res
		}
	}
	for i := range r.update {
		if res := x.stands(&r.update[i], "update"); res.broken != nil {
			return res
		}
	}
	for i := range r.add {
		it := &r.add[i]
		if at := x.old.at(strings.TrimSpace(it.id)); r.full && at >= 0 && x.before.Steps[at].Status == plan.Done {
			continue // it becomes the done step, whatever the reply says of it
		}
		if res := x.stands(it, "add"); res.broken != nil {
			return res
		}
	}
	return held()
}

func (x *examination) removed(id string) result {
	if x.explained(id) {
		return held()
	}
	if x.new.at(id) >= 0 {
		return broke(id, "remove_steps", fmt.Sprintf("the reply removes %q, which still stands, and the outcome does not say why", id))
	}
	if x.old.at(id) < 0 {
		return broke(id, "remove_steps", fmt.Sprintf("the reply removes %q, which the plan never had, and the outcome does not say so", id))
	}
	return held()
}

// stands: the step has in the new plan what the reply wrote of it.
func (x *examination) stands(it *item, what string) result {
	id := strings.TrimSpace(it.id)
	at := x.new.at(id)
	if at < 0 {
		if x.explained(id) {
			return held()
		}
		return broke(id, what+"_steps", fmt.Sprintf("the reply wants to %s %q, which is not in the new plan, and the outcome does not say why", what, id))
	}
	field := it.lost(&x.after.Steps[at])
	if field == "" || x.explained(id) {
		return held()
	}
	return broke(id, field, fmt.Sprintf("the reply writes the %s of %q, the new plan has another, and the outcome does not say why", field, id))
}

// lost names the first member that the reply wrote and the step does not have.
func (it *item) lost(s *plan.Step) string {
	switch {
	case it.description != nil && *it.description != s.Description:
		return "description"
	case it.dependencies != nil && !sameDependencies(it.dependencies.Items, s.Dependencies):
		return "dependencies"
	case it.tools != nil && !sameTexts(it.tools.Items, s.ToolsExpected):
		return "tools_expected"
	case it.status != "" && it.status != string(s.Status):
		return "status"
	}
	return ""
}

// sameDependencies compares a list as written, where one may stand twice and
// with white space round it, with the list of a step.
func sameDependencies(asked []strictjson.Value, got []string) bool {
	var seen set
	k := 0
	for i := range asked {
		id := strings.TrimSpace(asked[i].Text)
		if seen.has(id) {
			continue
		}
		seen.add(id)
		if k == len(got) || strings.TrimSpace(got[k]) != id {
			return false
		}
		k++
	}
	return k == len(got)
}

// explained reports whether the outcome names the id as one with which
// something else was done than asked.
func (x *examination) explained(id string) bool {
	for _, w := range x.out.Warnings {
		if w.Code != harness.WarnConfusableID && slices.Contains(w.IDs, id) {
			return true
		}
	}
	for _, r := range x.out.Repairs {
		if slices.Contains(r.IDs, id) {
			return true
		}
	}
	return x.out.Meta != nil && slices.Contains(x.out.Meta.Dropped, id)
}
