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
		judge.Holds(VersionOnce, "each reply that is applied raises the version by one, and files one old plan", versionOnce).
			Breaking(judge.Says(judge.Unsound, "version", "the version counts something else than updates"),
				judge.Says(judge.Unsound, "history", "an update files no old plan, or several")),
		judge.Holds(HistoryKept, "old versions stay as they are, and the new one is the plan as it was", historyKept).
			Breaking(judge.Says(judge.Loss, "old", "an old version of the plan changes"),
				judge.Says(judge.Loss, "filed", "the history does not hold the plan as it was"),
				judge.Says(judge.Loss, "nested", "an entry of the history holds a history of its own"),
				judge.Says(judge.Loss, "version", "an entry of the history has another version")),
		judge.Holds(ResultsSelective, "the results of steps that changed or went are cleared, and no others", resultsSelective).
			Breaking(judge.Says(judge.Loss, "lost", "the result of a step is gone to which nothing was done"),
				judge.Says(judge.Loss, "changed", "the result of a step changes"),
				judge.Says(judge.Loss, "stale", "the result of a step stays that was changed or removed"),
				judge.Says(judge.Loss, "invented", "a step has a result that it never had")),
		judge.Holds(check.UntouchedKept, check.UntouchedText, unnamedKept).
			Breaking(judge.Says(judge.Loss, "gone", "a step is gone that no operation removes"),
				judge.Says(judge.Loss, "changed:MEMBER", "a step is changed that no operation modifies (…)"),
				judge.Says(judge.Loss, "order", "steps change places that no operation moves")),
		judge.Holds(check.NoSilentLoss, check.LossText, logTrue).
			Breaking(judge.Says(judge.Loss, "told", "an operation is said to be applied, and is not"),
				judge.Says(judge.Loss, "nothing", "an update is applied and does nothing"),
				judge.Says(judge.Reports, "count", "the outcome tells of more or fewer operations than there are"),
				judge.Says(judge.Reports, "word", "the outcome has a word for an operation that there is none of")),
		judge.Holds(IDsOnce, "no new step has an id that an older version of the plan gave to another", idsOnce).
			Breaking(judge.Says(judge.Unsound, "again", "a new step has the id of one of an older version")),
		judge.Holds(ReasonsKept, "the reason of each operation stands in the outcome and in the history", reasonsKept).
			Breaking(judge.Says(judge.Reports, "outcome", "the outcome does not tell why an operation was asked for"),
				judge.Says(judge.Reports, "history", "the history does not tell why an operation was asked for")),
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
		return judge.Broke("version", "", "version", fmt.Sprintf("%d replies take the version from %d to %d", replies, old.Version, new.Version))
	case len(new.History)-len(old.History) != n:
		return judge.Broke("history", "", "history", fmt.Sprintf("the version goes from %d to %d, and the history from %d entries to %d", old.Version, new.Version, len(old.History), len(new.History)))
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
			return judge.Broke("old", "", "history", fmt.Sprintf("entry %d of the history is another than before", i+1))
		}
	}
	for k, entry := range new.History[len(old.History):] {
		filed, err := plan.DecodeRecord(entry)
		if err != nil {
			return judge.Broke("filed", "", "history", fmt.Sprintf("a new entry of the history is no plan: %v", err))
		}
		if len(filed.Record.History) > 0 {
			return judge.Broke("nested", "", "history", "a new entry of the history holds a history of its own")
		}
		if filed.Record.Version != old.Version+k {
			return judge.Broke("version", "", "history", fmt.Sprintf("a new entry of the history has the version %d and not %d", filed.Record.Version, old.Version+k))
		}
		if k > 0 {
			continue
		}
		filed.Record.History = old.History
		if d := outcome.Plans(x.Before, filed); d != nil {
			return judge.Broke("filed", d.Step, "history", fmt.Sprintf("the history does not hold the plan as it was (%s): %s", d.Field, d.Words))
		}
	}
	return judge.Held()
}

// resultsSelective: a result belongs to a step as it is.
func resultsSelective(x *judge.Examination) judge.Result {
	before, ok := judge.Object(x.Item.Case.Results)
	switch {
	case !ok || x.Before == nil || len(before.Members) == 0:
		return judge.Skip()
	case len(x.Out.Results) == 0 || !x.Gives("results"):
		return judge.Unseen()
	}
	after, ok := judge.Object(x.Out.Results)
	if !ok {
		return judge.Skip()
	}
	for _, m := range after.Members {
		old := before.Get(m.Name)
		if old == nil {
			return judge.Broke("invented", m.Name, "results", fmt.Sprintf("%q has a result, and had none", judge.Brief(m.Name)))
		}
		if !strictjson.Same(old, &m.Value) {
			return judge.Broke("changed", m.Name, "results", fmt.Sprintf("the result of %q is another", judge.Brief(m.Name)))
		}
	}
	modified := modified(x)
	for i := range before.Members {
		id := before.Members[i].Name
		stale, known := stale(x, id, modified)
		switch kept := after.Get(id) != nil; {
		case !known:
		case stale && kept:
			return judge.Broke("stale", id, "results", fmt.Sprintf("the step %q was changed or removed, and its result is still there", judge.Brief(id)))
		case !stale && !kept:
			return judge.Broke("lost", id, "results", fmt.Sprintf("the result of %q is gone, and nothing was done to the step", judge.Brief(id)))
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
				return judge.Broke("gone", s.ID, "steps", fmt.Sprintf("step %q is gone, and no operation removes it", s.ID))
			}
			continue
		}
		field := outcome.StepDifference(s, &x.After.Steps[at])
		freed := field == "dependencies" && x.Profile.Orphans != harness.Reject && slices.ContainsFunc(s.Dependencies, func(d string) bool { return x.New.At(d) < 0 && named("remove", d) })
		if field != "" && !freed && !named("modify", s.ID) {
			return judge.Broke("changed:"+field, s.ID, field, fmt.Sprintf("no operation modifies step %q, and it was changed: %s", s.ID, outcome.Change(field, s, &x.After.Steps[at])))
		}
		if named("reorder", s.ID) {
			continue
		}
		r = judge.Held()
		if at < last {
			return judge.Broke("order", s.ID, "order", fmt.Sprintf("step %q changed places with another that no operation moves", s.ID))
		}
		last = at
	}
	return r
}

// logTrue: what is said to be applied is seen in the plan.
func logTrue(x *judge.Examination) judge.Result {
	wishes, ok := wishes(x)
	switch {
	case !ok || !x.Edited():
		return judge.Skip()
	case x.Out.Operations == nil || !x.Gives("operations"):
		return judge.Unseen()
	}
	log := x.Out.Operations
	if len(log) != len(wishes) && len(x.Item.Case.Replies) == 1 {
		return judge.Broke("count", "", "operations", fmt.Sprintf("the reply has %d operations, and the outcome tells of %d", len(wishes), len(log)))
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
			return judge.Broke("word", o.StepID, "operations", fmt.Sprintf("%q is nothing that an operation can come to", o.Result))
		case applied(o, "remove") && at >= 0 && !later("add"):
			return judge.Broke("told", o.StepID, "operations", fmt.Sprintf("step %q is said to be removed, and stands in the plan", o.StepID))
		case (applied(o, "add") || applied(o, "modify") || applied(o, "reorder")) && at < 0 && !later("remove"):
			return judge.Broke("told", o.StepID, "operations", fmt.Sprintf("the %s of step %q is said to be applied, and the plan has no such step", o.Type, o.StepID))
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
		return judge.Broke("nothing", "", "operations", "the case was applied, but no operation was, and the metadata is the old one")
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
				return judge.Broke("again", id.Text, "id", fmt.Sprintf("the new step %q has the id of one of an older version", id.Text))
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
	ReasonsKept      = "reasons-kept"
	OneByOne         = "one-by-one"
)

// parts are what became of the operations, as far as each was refused for itself.
func parts(o *harness.Outcome) []judge.Part {
	list := make([]judge.Part, len(o.Operations))
	for i, r := range o.Operations {
		switch r.Result {
		case words.Applied, words.Unchanged, words.Undone, words.NotRun:
			list[i].Applied = true
		default:
			list[i].Code = harness.Code(r.Result)
		}
	}
	return list
}

// plans are the checks that look at the plan before and after. Completed steps
// stay in their order unless the rules let operations move them.
func plans() []judge.Check {
	list := check.Plans()
	for i := range list {
		if run := list[i].Run; list[i].Name == check.DoneImmutable {
			list[i].Run = func(x *judge.Examination) judge.Result {
				r := run(x)
				if r.Broken != nil && r.Broken.Kind == "order" && movesDone(x) {
					return judge.Held()
				}
				return r
			}
		}
	}
	return list
}

// movesDone reports whether an operation may move a completed step, and perhaps
// does.
func movesDone(x *judge.Examination) bool {
	if words.ReorderDone().Get(x.Profile) != words.Allow {
		return false
	}
	wishes, ok := wishes(x)
	return !ok || slices.ContainsFunc(wishes, func(w wish) bool {
		return w.kind == "reorder" && slices.ContainsFunc(w.ids, func(id string) bool {
			at := x.Old.At(id)
			return at < 0 || x.Before.Steps[at].Status == plan.Completed // or it is spelt otherwise
		})
	})
}

// reasonsKept: why an operation was asked for is told with what became of it.
func reasonsKept(x *judge.Examination) judge.Result {
	wishes, ok := wishes(x)
	_, new, edited := versions(x)
	switch {
	case !ok || !edited || len(x.Item.Case.Replies) != 1 || len(wishes) == 0 || len(new.History) == 0:
		return judge.Skip()
	case !x.Gives("operations") || len(x.Out.Operations) != len(wishes):
		return judge.Unseen()
	}
	filed := judge.Parsed(new.History[len(new.History)-1]).Get("operations")
	for i, w := range wishes {
		if r := x.Out.Operations[i].Reason; r != w.reason {
			return judge.Broke("outcome", "", "operations", fmt.Sprintf("operation %d gives the reason %q, and the outcome %q", i+1, judge.Brief(w.reason), judge.Brief(r)))
		}
		if filed == nil && w.reason == "" {
			continue // as where the history is compared: there is nothing to tell
		}
		if filed == nil || i >= len(filed.Items) {
			return judge.Broke("history", "", "history", fmt.Sprintf("the new entry of the history does not tell of operation %d", i+1))
		}
		said := ""
		if r := filed.Items[i].Given("reason"); r != nil {
			said = r.Text
		}
		if said != w.reason {
			return judge.Broke("history", "", "history", fmt.Sprintf("operation %d gives the reason %q, and the history %q", i+1, judge.Brief(w.reason), judge.Brief(said)))
		}
	}
	return judge.Held()
}

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks: slices.Concat(
			judge.Answers(), plans(), operationsRules(), []judge.Check{judge.Again(), check.Growth()}, relatedUpdateRules(), judge.Oracles(),
		),
		Plan:  func(c harness.Case) (*plan.Plan, error) { return plan.DecodeRecord(c.Plan) },
		Align: alignedUpdate,
		Parts: parts,
	}
}
