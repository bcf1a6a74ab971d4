package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// untouchedKept checks that a patch keeps every step that it does not name. A full plan names every step.
func untouchedKept(x *judge.Examination) judge.Result {
	if !x.Edited() || x.Out.Rung == harness.RungFullPlan {
		return judge.Skip()
	}
	r := asks(x)
	if r == nil || r.full {
		return judge.Skip()
	}
	named := r.named()
	may := func(_, id string) bool { return named[strings.TrimSpace(id)] }
	return check.Untouched(x, may, func(field string, old, new *plan.Step) bool {
		return field == "status" && check.Reset(x, named, old, new) || field == "dependencies" && orphaned(x, old, new)
	})
}

// orphaned reports whether a step lost only removed dependencies, as the profile says and the outcome reports.
func orphaned(x *judge.Examination, old, new *plan.Step) bool {
	code := ""
	switch x.Profile.Orphans {
	case harness.Detach:
		code = harness.WarnDetached
	case harness.Bridge:
		code = harness.WarnBridged
	}
	if code == "" || x.Gives("warnings") && !slices.Contains(x.Out.Warned(code), old.ID) {
		return false
	}
	for _, d := range old.Dependencies {
		if x.New.At(d) >= 0 && !slices.Contains(new.Dependencies, d) {
			return false
		}
	}
	rest := new.Clone()
	rest.Dependencies = old.Dependencies
	return old.Equal(rest)
}

// noSilentLoss checks that each requested change is made or named in the outcome.
func noSilentLoss(x *judge.Examination) judge.Result {
	if !x.Edited() {
		return judge.Skip()
	}
	r := asks(x)
	if r == nil || r.full != (x.Out.Rung == harness.RungFullPlan) && x.Out.Rung != "" || !check.PlainIDs(x) {
		return judge.Skip()
	}
	if t := strings.TrimSpace(r.title); t != "" && spec.Stored(&x.Profile)(t) != strings.TrimSpace(x.After.Title) {
		return judge.Brokef("title", "", "title",
			"the reply sets the title to %q, the new plan has %q, and the outcome does not explain it",
			judge.Brief(t), judge.Brief(x.After.Title))
	}
	for _, id := range r.remove {
		if x.New.At(id) >= 0 && !explained(x, r, id) {
			return judge.Brokef("remove", id, "remove_steps",
				"the reply removes %q, the new plan still has it, and the outcome does not explain it", id)
		}
	}
	for i := range r.update {
		if b := misses(x, r, &r.update[i], "update"); b.Broken != nil {
			return b
		}
	}
	for i := range r.add {
		it, what := &r.add[i], "add"
		if at := x.Old.At(it.id); r.full && at >= 0 {
			if x.Before.Steps[at].Status == plan.Done {
				continue // the done step stays as it was, whatever the reply says
			}
			what = "step"
		}
		if b := misses(x, r, it, what); b.Broken != nil {
			return b
		}
	}
	return unnamed(x, r)
}

// unnamed checks that the outcome names each ignored or changed request, if the engine gives warnings.
func unnamed(x *judge.Examination, r *request) judge.Result {
	if !x.Gives("warnings") {
		return judge.Held()
	}
	for _, id := range r.remove {
		if x.New.At(id) < 0 && x.Old.At(id) < 0 && !explained(x, r, id) {
			return judge.Brokef("not-named", id, "remove_steps",
				"the reply removes %q, which the plan does not have, and the outcome does not report it", id)
		}
	}
	for i := range r.add {
		it, id := &r.add[i], r.add[i].id
		at := x.New.At(id)
		if at < 0 || it.status == "" || it.status == string(x.After.Steps[at].Status) || explained(x, r, id) {
			continue
		}
		if old := x.Old.At(id); !r.full || old < 0 || x.Before.Steps[old].Status != plan.Done {
			return judge.Brokef("not-named", id, "status",
				"the reply sets the status of %q, the new plan has another, and the outcome does not explain it", id)
		}
	}
	return judge.Held()
}

// otherwise finds the new step with the description of an added one to which the engine gave another id.
func otherwise(x *judge.Examination, r *request, it *item) int {
	return slices.IndexFunc(x.After.Steps, func(s plan.Step) bool {
		return it.description != nil && s.Description == *it.description && x.Old.At(s.ID) < 0 &&
			!slices.ContainsFunc(r.add, func(o item) bool { return o.id == strings.TrimSpace(s.ID) })
	})
}

// misses checks that a step of the new plan has the values that the reply gave it.
func misses(x *judge.Examination, r *request, it *item, what string) judge.Result {
	id := it.id
	at := x.New.At(it.written) // an engine may have stored the id as it was written
	if at < 0 {
		at = x.New.At(id)
	}
	if at < 0 {
		at = slices.IndexFunc(x.After.Steps, func(s plan.Step) bool { return strings.TrimSpace(s.ID) == id })
	}
	// An addition with the id of a step that stays as it was is not stored with another value: it is invalid.
	if old := x.Old.At(id); what == "add" && old >= 0 && at >= 0 && x.Before.Steps[old].Equal(x.After.Steps[at]) {
		return judge.Held()
	}
	field := "steps"
	if at >= 0 {
		stored := spec.Stored(&x.Profile)
		field = lost(it, &x.After.Steps[at], stored)
		// Of two steps with one id, either may have the values. Another check says that there are two.
		if field != "" && slices.ContainsFunc(x.After.Steps[at+1:], func(s plan.Step) bool {
			return s.ID == x.After.Steps[at].ID && lost(it, &s, stored) == ""
		}) {
			field = ""
		}
	}
	if field == "" || explained(x, r, id) {
		return judge.Held()
	}
	if at < 0 && what != "update" {
		if at = otherwise(x, r, it); at >= 0 {
			field = "id"
		}
	}
	kind := what
	if what == "update" || at >= 0 {
		kind += ":" + field
	}
	if at < 0 {
		return judge.Brokef(kind, id, strings.TrimPrefix(what+"_steps", "step_"),
			"the %s of %q in the reply is not in the new plan, and the outcome does not explain it", what, id)
	}
	return judge.Brokef(kind, id, field, "the reply sets the %s of %q, the new plan has another, and the "+
		"outcome does not explain it", field, id)
}

// lost returns the first member whose value in the step differs from the reply.
func lost(it *item, s *plan.Step, stored func(string) string) string {
	switch {
	case it.description != nil && stored(*it.description) != s.Description:
		return "description"
	case it.dependencies != nil && !sameDependencies(it.dependencies.Items, s.Dependencies):
		return "dependencies"
	case it.tools != nil && !slices.EqualFunc(it.tools.Items, s.ToolsExpected,
		func(v strictjson.Value, tool string) bool { return v.Text == tool }):
		return "tools_expected"
	}
	return ""
}

// sameDependencies compares lists without duplicates and white space around ids, which other checks judge.
func sameDependencies(asked []strictjson.Value, list []string) bool {
	want := collect.Map(asked, func(v strictjson.Value) string { return strings.TrimSpace(v.Text) })
	return slices.Equal(collect.Unique(want), collect.Unique(collect.Map(list, strings.TrimSpace)))
}

// explained reports whether the outcome names the id. An engine without warnings or repairs may do anything that its
// rules allow.
func explained(x *judge.Examination, r *request, id string) bool {
	if r.reported == nil {
		r.reported = reportedIDs(&x.Out)
	}
	return r.reported[id] || (!x.Gives("warnings") || !x.Gives("repairs")) && allowed(x, r, id)
}

// reportedIDs returns the ids that an outcome names.
func reportedIDs(o *harness.Outcome) map[string]bool {
	var ids []string
	for _, w := range o.Warnings {
		if w.Code != harness.WarnConfusableID {
			ids = append(ids, w.IDs...)
		}
	}
	for _, r := range o.Repairs {
		ids = append(ids, r.IDs...)
	}
	if o.Meta != nil {
		ids = append(ids, o.Meta.Dropped...)
	}
	return collect.Set(ids)
}

// allowed reports whether the profile lets the engine change the request for the id: at the limit, or in a conflict.
func allowed(x *judge.Examination, r *request, id string) bool {
	limit := x.Item.Case.Limits.MaxPlanSteps
	if limit != nil && x.New.At(id) < 0 && (r.full || x.Old.At(id) < 0) && len(x.After.Steps) >= *limit {
		return true
	}
	its := func(it item) bool { return it.id == id }
	updates, adds := collect.Count(r.update, its), collect.Count(r.add, its)
	removed := slices.Contains(r.remove, id)
	conflict := removed && updates+adds > 0 || updates > 0 && adds > 0
	return conflict && x.Profile.Conflicts != harness.Reject || updates > 1 && x.Profile.DuplicateUpdates != harness.Reject
}
