// Package check contains the properties that outcomes of the dialect operations must have,
// whatever the profile. It does not import the rules.
package check

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

//go:embed kinds.json
var kinds []byte

// operationsRules returns the checks of versions, results, and the record of
// applied operations.
func operationsRules() []judge.Check {
	return []judge.Check{
		judge.Holds("version-once", "each applied reply raises the version by one and adds one entry to the history",
			versionOnce),
		judge.Holds("history-kept", "history entries never change, and the new entry equals the old plan", historyKept),
		judge.Holds("results-selective", "the results of changed and removed steps are cleared, and no others",
			resultsSelective),
		judge.Holds(check.UntouchedKept, check.UntouchedText, unnamedKept),
		judge.Holds(check.NoSilentLoss, check.LossText, logTrue),
		judge.Holds("ids-once", "no new step reuses an id from an older version of the plan", idsOnce),
		judge.Holds("reasons-kept", "the outcome and the history keep the reason of each operation", reasonsKept),
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
	if !ok || x.Before.Equal(x.After) { // other checks judge an update without effect
		return judge.Skip()
	}
	n, added, replies := new.Version-old.Version, len(new.History)-len(old.History), len(x.Item.Case.Replies)
	switch noVersion, noHistory := x.Lacks(spec.Version), x.Lacks(spec.History); {
	case noVersion && noHistory:
		return judge.Skip()
	case noVersion:
		n = added
	case noHistory:
		added = n
	}
	switch {
	case !x.Lacks(spec.Version) && (n < 1 || n > replies):
		return judge.Brokef("version", "", "version", "the version goes from %d to %d after %s", old.Version, new.Version,
			english.Plural(replies, "reply", ""))
	case added != n || n < 1 || n > replies:
		return judge.Brokef("history", "", "history", "the version goes from %d to %d, and the history from %d entries to %d",
			old.Version, new.Version, len(old.History), len(new.History))
	}
	return judge.Held()
}

func historyKept(x *judge.Examination) judge.Result {
	old, new, ok := versions(x)
	if !ok || len(new.History) <= len(old.History) || x.Lacks(spec.History) {
		return judge.Skip()
	}
	for i := range old.History {
		if !strictjson.Equal(old.History[i], new.History[i]) {
			return judge.Brokef("old", "", "history", "entry %d of the history changed", i+1)
		}
	}
	for k, entry := range new.History[len(old.History):] {
		filed, err := plan.DecodeParsedRecord(entry, x.Document(entry))
		if err != nil {
			return judge.Brokef("filed", "", "history", "a new entry of the history is not a plan: %v", err)
		}
		if len(filed.Record.History) > 0 {
			return judge.Broke("nested", "", "history", "a new entry of the history contains a history")
		}
		if x.Lacks(spec.Version) {
			filed.Record.Version = old.Version + k
		}
		if filed.Record.Version != old.Version+k {
			return judge.Brokef("version", "", "history", "a new entry of the history has the version %d, expected %d",
				filed.Record.Version, old.Version+k)
		}
		if k > 0 {
			continue
		}
		filed.Record.History = old.History
		if d := outcome.Plans(x.Before, filed); d != nil {
			return judge.Brokef("filed", d.Step, "history",
				"the new entry of the history differs from the old plan (%s): %s", d.Field, d.Words)
		}
	}
	return judge.Held()
}

// resultsSelective checks that exactly the results of changed and removed steps go.
func resultsSelective(x *judge.Examination) judge.Result {
	before, ok := x.Object(x.Item.Case.Results)
	switch {
	case !ok || x.Before == nil || len(before.Members) == 0:
		return judge.Skip()
	case len(x.Out.Results) == 0 || !x.Gives("results"):
		return judge.Unseen()
	}
	after, ok := x.Object(x.Out.Results)
	if !ok {
		return judge.Skip()
	}
	for _, m := range after.Members {
		old := before.Get(m.Name)
		if old == nil {
			return judge.Brokef("invented", m.Name, "results", "%q has a result, but had none", judge.Brief(m.Name))
		}
		if !strictjson.Same(old, &m.Value) {
			return judge.Brokef("changed", m.Name, "results", "the result of %q changed", judge.Brief(m.Name))
		}
	}
	for i := range before.Members {
		id := before.Members[i].Name
		stale, known := stale(x, id)
		switch kept := after.Get(id) != nil; {
		case !known:
		case stale && kept:
			return judge.Brokef("stale", id, "results",
				"step %q was changed or removed, but its result is still there", judge.Brief(id))
		case !stale && !kept:
			return judge.Brokef("lost", id, "results", "the result of %q is missing, but the step did not change",
				judge.Brief(id))
		}
	}
	return judge.Held()
}

// stale reports whether the result of a step must be cleared. It returns known =
// false if the step may have been changed and changed back.
func stale(x *judge.Examination, id string) (stale, known bool) {
	old := x.Old.At(id)
	if x.After == nil || old < 0 {
		return false, true
	}
	at := x.New.At(id)
	if at < 0 || !x.Before.Steps[old].Equal(x.After.Steps[at]) {
		return true, true
	}
	wishes, ok := wishes(x)
	modified := collect.Count(wishes, func(w wish) bool { return w.kind == "modify" && w.names(id) })
	return false, ok && modified < 2 // changed and changed back
}

// unnamedKept checks that unnamed steps stay unchanged and that moved steps keep
// their members.
func unnamedKept(x *judge.Examination) judge.Result {
	wishes, ok := wishes(x)
	if !ok || !x.Edited() {
		return judge.Skip()
	}
	named := func(kind, id string) bool {
		return slices.ContainsFunc(wishes, func(w wish) bool { return w.kind == kind && w.names(id) })
	}
	may := func(what, id string) bool {
		return named(what, id) || what != "remove" && named("remove", id) && slices.ContainsFunc(wishes, func(w wish) bool {
			return w.kind == "add" && w.id == strings.TrimSpace(id) // a new step with the id of a removed one
		})
	}
	return check.Untouched(x, may, func(field string, old, new *plan.Step) bool {
		return field == "status" && check.Reset(x, changed(x), old, new) ||
			field == "dependencies" && x.Profile.Orphans != harness.Reject && slices.ContainsFunc(old.Dependencies,
				func(d string) bool { return x.New.At(d) < 0 && named("remove", d) })
	})
}

// logTrue checks that every operation reported as applied shows in the plan.
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
		return judge.Brokef("count", "", "operations", "the reply has %d operations, but the outcome reports %d",
			len(wishes), len(log))
	}
	applied := func(o harness.OperationResult, kind string) bool {
		return o.Result == spec.Applied && o.Type == kind && o.StepID != ""
	}
	results := spec.Vocabulary().Results
	for i, o := range log {
		at := x.New.At(o.StepID)
		later := func(kind string) bool {
			return slices.ContainsFunc(log[i+1:], func(l harness.OperationResult) bool {
				return applied(l, kind) && l.StepID == o.StepID
			})
		}
		switch {
		case !slices.ContainsFunc(results, func(t harness.Term) bool { return t.Name == o.Result }):
			return judge.Brokef("word", o.StepID, "operations", "%q is not a result of an operation", o.Result)
		case applied(o, "remove") && at >= 0 && !later("add"):
			return judge.Brokef("told", o.StepID, "operations",
				"step %q is reported as removed, but the plan still has it", o.StepID)
		case (applied(o, "add") || applied(o, "modify") || applied(o, "reorder")) && at < 0 && !later("remove"):
			return judge.Brokef("told", o.StepID, "operations",
				"the %s of step %q is reported as applied, but the plan has no such step", o.Type, o.StepID)
		}
	}
	return nothingDone(x)
}

// nothingDone finds an applied update that changed nothing.
func nothingDone(x *judge.Examination) judge.Result {
	done := slices.ContainsFunc(x.Out.Operations,
		func(o harness.OperationResult) bool { return o.Result == spec.Applied })
	old, new, ok := versions(x)
	if ok && !done && old.Name == new.Name && old.Description == new.Description {
		return judge.Broke("nothing", "", "operations",
			"the update was applied, but no operation was, and the metadata did not change")
	}
	return judge.Held()
}

// idsOnce checks that no new step has the id of a step in the history.
func idsOnce(x *judge.Examination) judge.Result {
	old, _, ok := versions(x)
	if !ok {
		return judge.Skip()
	}
	r := judge.Skip()
	for _, entry := range old.History {
		steps := x.Parsed(entry).Get("steps")
		for i := 0; steps != nil && i < len(steps.Items); i++ {
			id := steps.Items[i].Get("id")
			if id == nil || x.Old.At(id.Text) >= 0 {
				continue
			}
			r = judge.Held()
			if x.New.At(id.Text) >= 0 {
				return judge.Brokef("again", id.Text, "id", "the new step %q reuses an id from an older version", id.Text)
			}
		}
	}
	return r
}

// parts returns for each operation whether it was applied, or its code.
func parts(o *harness.Outcome) []judge.Part {
	list := make([]judge.Part, len(o.Operations))
	for i, r := range o.Operations {
		if list[i].Applied = !spec.Failed(r.Result); !list[i].Applied {
			list[i].Code = harness.Code(r.Result)
		}
	}
	return list
}

// plans returns the checks of the plans before and after. Completed steps keep
// their order unless the profile allows moving them.
func plans() []judge.Check {
	list := check.Allowing(check.Plans(), changed)
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

// changed returns the ids that operations modify or remove, nil if a reply is ambiguous.
func changed(x *judge.Examination) map[string]bool {
	wishes, ok := wishes(x)
	if !ok {
		return nil
	}
	ids := map[string]bool{}
	for _, w := range wishes {
		for _, id := range w.ids {
			if w.kind == "modify" || w.kind == "remove" {
				ids[id] = true
			}
		}
	}
	return ids
}

// movesDone reports whether the profile allows moving completed steps and an
// operation may move one.
func movesDone(x *judge.Examination) bool {
	if spec.ReorderDone().Get(x.Profile) == harness.Reject {
		return false
	}
	wishes, ok := wishes(x)
	return !ok || slices.ContainsFunc(wishes, func(w wish) bool {
		return w.kind == "reorder" && slices.ContainsFunc(w.ids, func(id string) bool {
			at := x.Old.At(id)
			return at < 0 || x.Before.Steps[at].Status == plan.Completed // or the id is spelled differently
		})
	})
}

// reasonsKept checks that the outcome keeps each reason, and so does the history if its new entry has operations.
func reasonsKept(x *judge.Examination) judge.Result {
	wishes, ok := wishes(x)
	_, new, edited := versions(x)
	switch {
	case !ok || !edited || len(x.Item.Case.Replies) != 1 || len(wishes) == 0 || len(new.History) == 0,
		x.Lacks(spec.History):
		return judge.Skip()
	case !x.Gives("operations") || len(x.Out.Operations) != len(wishes):
		return judge.Unseen()
	}
	filed := x.Parsed(new.History[len(new.History)-1]).Get("operations")
	for i, w := range wishes {
		if r := x.Out.Operations[i].Reason; r != w.reason {
			return judge.Brokef("outcome", "", "operations", "operation %d gives the reason %q, but the outcome gives %q", i+1,
				judge.Brief(w.reason), judge.Brief(r))
		}
		if filed == nil {
			continue
		}
		if i >= len(filed.Items) {
			return judge.Brokef("history", "", "history", "the new entry of the history lacks operation %d", i+1)
		}
		if reason := filed.Items[i].Given("reason").Str(); reason != w.reason {
			return judge.Brokef("history", "", "history", "operation %d gives the reason %q, but the history gives %q", i+1,
				judge.Brief(w.reason), judge.Brief(reason))
		}
	}
	return judge.Held()
}

// Rules returns the checks of the dialect and its plan reader.
func Rules() judge.Rules {
	return judge.Rules{
		Checks: check.WithKinds(kinds,
			judge.Answers(), plans(), operationsRules(), []judge.Check{judge.Again(), check.Growth()}, relatedUpdateRules(),
			judge.Oracles(),
		),
		Plan:  func(c harness.Case) (*plan.Plan, error) { return plan.DecodeRecord(c.Plan) },
		Align: alignedUpdate,
		Parts: parts,
	}
}
