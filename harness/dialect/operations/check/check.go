package check

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/check"
	"replanbench/harness/dialect/operations/words"
	"replanbench/harness/judge"
	"replanbench/harness/outcome"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// operationsRules look at updates by operations: at the versions, the results
// and the record of what was done.
func operationsRules() []judge.Check {
	return []judge.Check{
		judge.Holds(VersionOnce, "each reply that is applied raises the version by one, and files one old plan", versionOnce),
		judge.Holds(HistoryKept, "old versions stay as they are, and the new one is the plan as it was", historyKept),
		judge.Holds(ResultsSelective, "the results of steps that changed or went are cleared, and no others", resultsSelective),
		judge.Holds(check.UntouchedKept, check.UntouchedText, unnamedKept),
		judge.Holds(check.NoSilentLoss, check.LossText, logTrue),
		judge.Holds(IDsOnce, "no new step has an id that an older version of the plan gave to another", idsOnce),
	}
}

// versions returns the records before and after an edit.
func versions(x *judge.Examination) (old, new *plan.Record, ok bool) {
	if !x.Edited() || x.Before.Record == nil || x.After.Record == nil {
		return nil, nil, false
	}
	return x.Before.Record, x.After.Record, true
}

func versionOnce(x *judge.Examination) judge.Result {
	old, new, ok := versions(x)
	if !ok {
		return judge.Skip()
	}
	n, replies := new.Version-old.Version, len(x.Item.Case.Replies)
	switch {
	case n < 1 || n > replies:
		return judge.Broke("", "", "version", fmt.Sprintf("%d replies take the version from %d to %d", replies, old.Version, new.Version))
	case len(new.History)-len(old.History) != n:
		return judge.Broke("", "", "history", fmt.Sprintf("the version goes from %d to %d, and the history from %d entries to %d", old.Version, new.Version, len(old.History), len(new.History)))
	}
	return judge.Held()
}

func historyKept(x *judge.Examination) judge.Result {
	old, new, ok := versions(x)
	if !ok || len(new.History) <= len(old.History) {
		return judge.Skip()
	}
	for i := range old.History {
		if !strictjson.Equal(old.History[i], new.History[i]) {
			return judge.Broke("", "", "history", fmt.Sprintf("entry %d of the history is another than before", i+1))
		}
	}
	for k, entry := range new.History[len(old.History):] {
		filed, err := plan.DecodeRecord(entry)
		if err != nil {
			return judge.Broke("", "", "history", fmt.Sprintf("a new entry of the history is no plan: %v", err))
		}
		if len(filed.Record.History) > 0 {
			return judge.Broke("", "", "history", "a new entry of the history holds a history of its own")
		}
		if filed.Record.Version != old.Version+k {
			return judge.Broke("", "", "history", fmt.Sprintf("a new entry of the history has the version %d and not %d", filed.Record.Version, old.Version+k))
		}
		if k > 0 {
			continue
		}
		filed.Record.History = old.History
		if d := outcome.Plans(x.Before, filed); d != nil {
			return judge.Broke("", d.Step, "history", fmt.Sprintf("the history does not hold the plan as it was (%s): %s", d.Field, d.Words))
		}
	}
	return judge.Held()
}

// resultsSelective: a result belongs to a step as it is.
func resultsSelective(x *judge.Examination) judge.Result {
	before, ok := judge.Object(x.Item.Case.Results)
	if !ok || x.Before == nil || len(x.Out.Results) == 0 {
		return judge.Skip()
	}
	after, ok := judge.Object(x.Out.Results)
	if !ok {
		return judge.Skip()
	}
	for _, m := range after.Members {
		old := before.Get(m.Name)
		if old == nil {
			return judge.Broke("", m.Name, "results", fmt.Sprintf("%q has a result, and had none", judge.Brief(m.Name)))
		}
		if !strictjson.Same(old, &m.Value) {
			return judge.Broke("", m.Name, "results", fmt.Sprintf("the result of %q is another", judge.Brief(m.Name)))
		}
	}
	modified := modified(x)
	for i := range before.Members {
		id := before.Members[i].Name
		stale, known := stale(x, id, modified)
		switch kept := after.Get(id) != nil; {
		case !known:
		case stale && kept:
			return judge.Broke("", id, "results", fmt.Sprintf("the step %q was changed or removed, and its result is still there", judge.Brief(id)))
		case !stale && !kept:
			return judge.Broke("", id, "results", fmt.Sprintf("the result of %q is gone, and nothing was done to the step", judge.Brief(id)))
		}
	}
	return judge.Held()
}

// stale reports whether the result of a step must go, where that can be told
// without knowing how often the step was changed.
func stale(x *judge.Examination, id string, modified map[string]int) (stale, known bool) {
	old := x.Old.At(id)
	if x.After == nil || old < 0 {
		return false, true
	}
	at := x.New.At(id)
	if at < 0 || outcome.StepDifference(&x.Before.Steps[old], &x.After.Steps[at]) != "" {
		return true, true
	}
	return false, modified != nil && modified[strings.TrimSpace(id)] < 2 // changed and changed back
}

// unnamedKept: what no operation names stays, and what one only moves keeps its
// members.
func unnamedKept(x *judge.Examination) judge.Result {
	wishes, ok := wishes(x)
	if !ok || !x.Edited() {
		return judge.Skip()
	}
	named := func(kind, id string) bool {
		return slices.ContainsFunc(wishes, func(w wish) bool { return w.kind == kind && w.names(id) })
	}
	last, r := -1, judge.Skip()
	for i := range x.Before.Steps {
		s := &x.Before.Steps[i]
		at := x.New.At(s.ID)
		if at < 0 {
			if !named("remove", s.ID) {
				return judge.Broke("", s.ID, "steps", fmt.Sprintf("step %q is gone, and no operation removes it", s.ID))
			}
			continue
		}
		if field := outcome.StepDifference(s, &x.After.Steps[at]); field != "" && !named("modify", s.ID) {
			return judge.Broke("", s.ID, field, fmt.Sprintf("no operation modifies step %q, and it was changed: %s", s.ID, outcome.Change(field, s, &x.After.Steps[at])))
		}
		if named("reorder", s.ID) {
			continue
		}
		r = judge.Held()
		if at < last {
			return judge.Broke("", s.ID, "order", fmt.Sprintf("step %q changed places with another that no operation moves", s.ID))
		}
		last = at
	}
	return r
}

// logTrue: what is said to be applied is seen in the plan.
func logTrue(x *judge.Examination) judge.Result {
	wishes, ok := wishes(x)
	if !ok || !x.Edited() || x.Out.Operations == nil {
		return judge.Skip()
	}
	log := x.Out.Operations
	if len(log) != len(wishes) && len(x.Item.Case.Replies) == 1 {
		return judge.Broke("", "", "operations", fmt.Sprintf("the reply has %d operations, and the outcome tells of %d", len(wishes), len(log)))
	}
	applied := func(o harness.OperationResult, kind string) bool {
		return o.Result == words.Applied && o.Type == kind && o.StepID != ""
	}
	for i, o := range log {
		at := x.New.At(o.StepID)
		later := func(kind string) bool {
			return slices.ContainsFunc(log[i+1:], func(l harness.OperationResult) bool { return applied(l, kind) && l.StepID == o.StepID })
		}
		switch {
		case !slices.Contains(words.Results(), o.Result):
			return judge.Broke("", o.StepID, "operations", fmt.Sprintf("%q is nothing that an operation can come to", o.Result))
		case applied(o, "remove") && at >= 0 && !later("add"):
			return judge.Broke("", o.StepID, "operations", fmt.Sprintf("step %q is said to be removed, and stands in the plan", o.StepID))
		case (applied(o, "add") || applied(o, "modify") || applied(o, "reorder")) && at < 0 && !later("remove"):
			return judge.Broke("", o.StepID, "operations", fmt.Sprintf("the %s of step %q is said to be applied, and the plan has no such step", o.Type, o.StepID))
		}
	}
	return nothingDone(x)
}

// nothingDone looks for an update that was applied and did nothing.
func nothingDone(x *judge.Examination) judge.Result {
	var done int
	for _, o := range x.Out.Operations {
		if o.Result == words.Applied {
			done++
		}
	}
	old, new, ok := versions(x)
	if ok && done == 0 && old.Name == new.Name && old.Description == new.Description {
		return judge.Broke("", "", "operations", "the case was applied, but no operation was, and the metadata is the old one")
	}
	return judge.Held()
}

// idsOnce: an id means one step for ever.
func idsOnce(x *judge.Examination) judge.Result {
	old, _, ok := versions(x)
	if !ok {
		return judge.Skip()
	}
	r := judge.Skip()
	for _, entry := range old.History {
		steps := judge.Parsed(entry).Get("steps")
		for i := 0; steps != nil && i < len(steps.Items); i++ {
			id := steps.Items[i].Get("id")
			if id == nil || x.Old.At(id.Text) >= 0 {
				continue
			}
			r = judge.Held()
			if x.New.At(id.Text) >= 0 {
				return judge.Broke("", id.Text, "id", fmt.Sprintf("the new step %q has the id of one of an older version", id.Text))
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

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks: slices.Concat(
			judge.Answers(), check.Plans(), operationsRules(), []judge.Check{judge.Again(), check.Growth()}, relatedUpdateRules(), judge.Oracles(),
		),
		Plan:  func(c harness.Case) (*plan.Plan, error) { return plan.DecodeRecord(c.Plan) },
		Align: alignedUpdate,
	}
}
