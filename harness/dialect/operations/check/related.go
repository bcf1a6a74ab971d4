package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// relatedUpdateRules returns the checks that compare an update with others derived
// from it.
func relatedUpdateRules() []judge.Check {
	only := func(x *judge.Examination) *check.Request {
		if u := singleUpdate(x); u != nil {
			return u.Request
		}
		return nil
	}
	return append(check.Rewritings(spec.Layout(), only, generates),
		judge.Relates("one-by-one", "one reply per operation gives the same steps as one reply with all operations",
			oneByOne),
		judge.Relates(check.ApplyTwice, check.TwiceText, updateTwice),
	)
}

// singleUpdate returns the update of the only reply, or nil if it is ambiguous or
// if a limit on its size forbids rewriting it.
func singleUpdate(x *judge.Examination) *update {
	list := updates(x).list
	if !check.Single(x) || len(list) != 1 {
		return nil
	}
	return list[0]
}

// generates reports whether the update adds a step without an id: generated ids depend on the history.
func generates(x *judge.Examination) bool {
	return slices.ContainsFunc(updates(x).wishes, func(w wish) bool { return w.kind == "add" && w.id == "" })
}

// withIDs returns the outcome with ids replaced by names.
func withIDs(x *judge.Examination, names map[string]string) *harness.Outcome {
	rename := func(id string) string {
		if to, ok := names[id]; ok {
			return to
		}
		return id
	}
	out := x.Out
	out.Plan = check.RenamedAll(x.Out.Plan, spec.Layout(), rename)
	out.Operations = collect.Map(x.Out.Operations, func(o harness.OperationResult) harness.OperationResult {
		o.StepID = rename(o.StepID)
		return o
	})
	out.Warnings = collect.Map(x.Out.Warnings, func(w harness.Warning) harness.Warning {
		w.IDs = collect.Map(w.IDs, rename)
		return w
	})
	return &out
}

// oneByOne checks that operations give the same steps in one reply or in several,
// because each operation applies to the result of the ones before.
func oneByOne(x *judge.Examination) judge.Result {
	r := singleUpdate(x)
	if r == nil || x.After == nil || x.Profile.OnError != harness.Skip || len(r.wishes) < 2 || knob.Sorts(&x.Profile) {
		return judge.Skip()
	}
	if generates(x) || x.Profile.Orphans != harness.Reject && writesBeforeRemoving(r.wishes) {
		return judge.Skip() // only another update may drop a new dependency
	}
	c := x.Item.Case
	c.Replies = nil
	ops := r.Root.Get("operations")
	text := r.Text[r.Start:r.End]
	for i := range ops.Items {
		c.Replies = append(c.Replies, harness.Reply(`{"operations":[`+text[ops.Items[i].Start:ops.Items[i].End]+"]}"))
	}
	out, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	if out.Plan == nil {
		out.Plan = x.Before
	}
	want, got := stepsOnly(x.After), stepsOnly(out.Plan)
	if d := outcome.Plans(want, got); d != nil {
		return x.Parted(c, out, judge.Broke("", d.Step, d.Field, "with one reply per operation the steps differ: "+d.Words))
	}
	if len(x.Out.Results) > 0 && len(out.Results) > 0 && !strictjson.Equal(x.Out.Results, out.Results) {
		return x.Parted(c, out, judge.Brokef("", "", "results", "with one reply per operation the results are %s, expected %s",
			judge.Brief(string(out.Results)), judge.Brief(string(x.Out.Results))))
	}
	return judge.Held()
}

// writesBeforeRemoving reports whether a removal follows an operation that writes
// dependencies.
func writesBeforeRemoving(list []wish) bool {
	wrote := slices.IndexFunc(list, func(w wish) bool { return w.wire })
	return wrote >= 0 && slices.ContainsFunc(list[wrote:], func(w wish) bool { return w.kind == "remove" })
}

func stepsOnly(p *plan.Plan) *plan.Plan { return &plan.Plan{Steps: p.Steps} }

// updateTwice checks that an accepted reply is also safe on the plan that it made.
func updateTwice(x *judge.Examination) judge.Result {
	if len(x.Item.Case.Replies) != 1 {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Results = x.Out.Results
	return check.Twice(x, c, plans(), operationsRules()...)
}
