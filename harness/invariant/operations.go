package invariant

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// operationsRules look at updates by operations: at the versions, the results
// and the record of what was done.
func operationsRules() []Check {
	return []Check{
		safety(VersionOnce, "each reply that is applied raises the version by one, and files one old plan", (*examination).versionOnce),
		safety(HistoryKept, "old versions stay as they are, and the new one is the plan as it was", (*examination).historyKept),
		safety(ResultsSelective, "the results of steps that changed or went are cleared, and no others", (*examination).resultsSelective),
		safety(UntouchedKept, untouchedText, (*examination).unnamedKept),
		safety(NoSilentLoss, lossText, (*examination).logTrue),
		safety(IDsOnce, "no new step has an id that an older version of the plan gave to another", (*examination).idsOnce),
	}
}

// versions returns the records before and after an edit.
func (x *examination) versions() (old, new *plan.Record, ok bool) {
	if !x.edited() || x.before.Record == nil || x.after.Record == nil {
		return nil, nil, false
	}
	return x.before.Record, x.after.Record, true
}

func (x *examination) versionOnce() result {
	old, new, ok := x.versions()
	if !ok {
		return skip()
	}
	n, replies := new.Version-old.Version, len(x.item.Case.Replies)
	switch {
	case n < 1 || n > replies:
		return broke("", "version", fmt.Sprintf("%d replies take the version from %d to %d", replies, old.Version, new.Version))
	case len(new.History)-len(old.History) != n:
		return broke("", "history", fmt.Sprintf("the version goes from %d to %d, and the history from %d entries to %d", old.Version, new.Version, len(old.History), len(new.History)))
	}
	return held()
}

func (x *examination) historyKept() result {
	old, new, ok := x.versions()
	if !ok || len(new.History) <= len(old.History) {
		return skip()
	}
	for i := range old.History {
		if !sameJSON(old.History[i], new.History[i]) {
			return broke("", "history", fmt.Sprintf("entry %d of the history is another than before", i+1))
		}
	}
	for k, entry := range new.History[len(old.History):] {
		filed, err := plan.DecodeRecord(entry)
		if err != nil {
			return broke("", "history", fmt.Sprintf("a new entry of the history is no plan: %v", err))
		}
		if len(filed.Record.History) > 0 {
			return broke("", "history", "a new entry of the history holds a history of its own")
		}
		if filed.Record.Version != old.Version+k {
			return broke("", "history", fmt.Sprintf("a new entry of the history has the version %d and not %d", filed.Record.Version, old.Version+k))
		}
		if k > 0 {
			continue
		}
		filed.Record.History = old.History
		if step, field, words, differ := firstDifference(x.before, filed); differ {
			return broke(step, "history", fmt.Sprintf("the history does not hold the plan as it was (%s): %s", field, words))
		}
	}
	return held()
}

// resultsSelective: a result belongs to a step as it is.
func (x *examination) resultsSelective() result {
	before, ok := members(x.item.Case.Results)
	if !ok || x.before == nil || len(x.out.Results) == 0 {
		return skip()
	}
	after, ok := members(x.out.Results)
	if !ok {
		return skip()
	}
	for _, m := range after {
		old := get(before, m.Name)
		if old == nil {
			return broke(m.Name, "results", fmt.Sprintf("%q has a result, and had none", brief(m.Name)))
		}
		if !strictjson.Same(old, &m.Value) {
			return broke(m.Name, "results", fmt.Sprintf("the result of %q is another", brief(m.Name)))
		}
	}
	modified := x.modified()
	for i := range before {
		id := before[i].Name
		stale, known := x.stale(id, modified)
		switch kept := get(after, id) != nil; {
		case !known:
		case stale && kept:
			return broke(id, "results", fmt.Sprintf("the step %q was changed or removed, and its result is still there", brief(id)))
		case !stale && !kept:
			return broke(id, "results", fmt.Sprintf("the result of %q is gone, and nothing was done to the step", brief(id)))
		}
	}
	return held()
}

// stale reports whether the result of a step must go, where that can be told
// without knowing how often the step was changed.
func (x *examination) stale(id string, modified map[string]int) (stale, known bool) {
	old := x.old.at(id)
	if x.after == nil || old < 0 {
		return false, true
	}
	at := x.new.at(id)
	if at < 0 || stepDifference(&x.before.Steps[old], &x.after.Steps[at]) != "" {
		return true, true
	}
	return false, modified != nil && modified[strings.TrimSpace(id)] < 2 // changed and changed back
}

// unnamedKept: what no operation names stays, and what one only moves keeps its
// members.
func (x *examination) unnamedKept() result {
	wishes, ok := x.wishes()
	if !ok || !x.edited() {
		return skip()
	}
	named := func(kind, id string) bool {
		return slices.ContainsFunc(wishes, func(w wish) bool { return w.kind == kind && w.names(id) })
	}
	last, r := -1, skip()
	for i := range x.before.Steps {
		s := &x.before.Steps[i]
		at := x.new.at(s.ID)
		if at < 0 {
			if !named("remove", s.ID) {
				return broke(s.ID, "steps", fmt.Sprintf("step %q is gone, and no operation removes it", s.ID))
			}
			continue
		}
		if field := stepDifference(s, &x.after.Steps[at]); field != "" && !named("modify", s.ID) {
			return broke(s.ID, field, fmt.Sprintf("no operation modifies step %q, and it was changed: %s", s.ID, change(field, s, &x.after.Steps[at])))
		}
		if named("reorder", s.ID) {
			continue
		}
		r = held()
		if at < last {
			return broke(s.ID, "order", fmt.Sprintf("step %q changed places with another that no operation moves", s.ID))
		}
		last = at
	}
	return r
}

// logTrue: what is said to be applied is seen in the plan.
func (x *examination) logTrue() result {
	wishes, ok := x.wishes()
	if !ok || !x.edited() || x.out.Operations == nil {
		return skip()
	}
	log := x.out.Operations
	if len(log) != len(wishes) && len(x.item.Case.Replies) == 1 {
		return broke("", "operations", fmt.Sprintf("the reply has %d operations, and the outcome tells of %d", len(wishes), len(log)))
	}
	applied := func(o harness.OperationResult, kind string) bool {
		return o.Result == harness.OperationApplied && o.Type == kind && o.StepID != ""
	}
	for i, o := range log {
		at := x.new.at(o.StepID)
		later := func(kind string) bool {
			return slices.ContainsFunc(log[i+1:], func(l harness.OperationResult) bool { return applied(l, kind) && l.StepID == o.StepID })
		}
		switch {
		case !slices.Contains(harness.OperationResults(), o.Result):
			return broke(o.StepID, "operations", fmt.Sprintf("%q is nothing that an operation can come to", o.Result))
		case applied(o, "remove") && at >= 0 && !later("add"):
			return broke(o.StepID, "operations", fmt.Sprintf("step %q is said to be removed, and stands in the plan", o.StepID))
		case (applied(o, "add") || applied(o, "modify") || applied(o, "reorder")) && at < 0 && !later("remove"):
			return broke(o.StepID, "operations", fmt.Sprintf("the %s of step %q is said to be applied, and the plan has no such step", o.Type, o.StepID))
		}
	}
	return x.nothingDone()
}

// nothingDone looks for an update that was applied and did nothing.
func (x *examination) nothingDone() result {
	var done int
	for _, o := range x.out.Operations {
		if o.Result == harness.OperationApplied {
			done++
		}
	}
	old, new, ok := x.versions()
	if ok && done == 0 && old.Name == new.Name && old.Description == new.Description {
		return broke("", "operations", "the case was applied, and yet no operation was, and the metadata is the old one")
	}
	return held()
}

// idsOnce: an id means one step for ever.
func (x *examination) idsOnce() result {
	old, _, ok := x.versions()
	if !ok {
		return skip()
	}
	r := skip()
	for _, entry := range old.History {
		steps := member(parsed(entry), "steps")
		for i := 0; steps != nil && i < len(steps.Items); i++ {
			id := steps.Items[i].Get("id")
			if id == nil || x.old.at(id.Text) >= 0 {
				continue
			}
			r = held()
			if x.new.at(id.Text) >= 0 {
				return broke(id.Text, "id", fmt.Sprintf("the new step %q has the id of one of an older version", id.Text))
			}
		}
	}
	return r
}

// The names of the checks of updates alone.
const (
	VersionOnce      = "version-once"
	HistoryKept      = "history-kept"
	ResultsSelective = "results-selective"
	IDsOnce          = "ids-once"
	OneByOne         = "one-by-one"
)

// updateRulesAll says how outcomes are judged.
func updateRulesAll() Rules {
	return Rules{
		Checks: slices.Concat(
			Answers(), Plans(), operationsRules(), []Check{Again(), Growth()}, relatedUpdateRules(), Oracles(),
		),
		Plan:    func(c harness.Case) (*plan.Plan, error) { return plan.DecodeRecord(c.Plan) },
		Missing: updateMissing,
		Align:   (*examination).alignedUpdate,
	}
}

func updateMissing(x *examination) string {
	switch {
	case x.out.Plan == nil:
		return "plan"
	case x.out.Plan.Record == nil:
		return "version"
	case len(x.out.Results) == 0 && len(x.item.Case.Results) > 0:
		return "results"
	}
	return ""
}
