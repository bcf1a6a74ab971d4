package check

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
	return []judge.Check{
		judge.Relates(check.RenameIDs, check.RenameText, renameUpdate),
		judge.Relates(check.Layout, check.LayoutText, layoutUpdate),
		judge.Relates("one-by-one", "one reply per operation gives the same steps as one reply with all operations",
			oneByOne),
		judge.Relates(check.ApplyTwice, check.TwiceText, updateTwice),
	}
}

// singleUpdate returns the update of the only reply, or nil if it is ambiguous or
// if a limit on its size forbids rewriting it.
func singleUpdate(x *judge.Examination) *update {
	list := updates(x).list
	if x.Before == nil || len(list) != 1 || x.Item.Case.Limits.MaxReplyBytes != nil {
		return nil
	}
	return list[0]
}

// layoutUpdate checks that another layout of the same JSON has the same outcome.
func layoutUpdate(x *judge.Examination) judge.Result {
	u := singleUpdate(x)
	if u == nil {
		return judge.Skip()
	}
	return check.Relaid(x, u.Request)
}

// renameUpdate checks that consistent renaming of ids renames them in the outcome.
func renameUpdate(x *judge.Examination) judge.Result {
	r := singleUpdate(x)
	if r == nil || !check.PlainIDs(x) || !r.PlainIDs(spec.Layout()) {
		return judge.Skip()
	}
	for _, w := range r.wishes {
		if w.kind == "add" && w.id == "" {
			return judge.Skip()
		}
	}
	rename := check.Renamer()
	c := x.Item.Case
	var ok bool
	if c.Plan, ok = renameIn(c.Plan, rename); !ok {
		return judge.Skip()
	}
	c.Results = renameKeys(c.Results, rename)
	c.Replies = []harness.Reply{harness.Reply(r.Rewrite(check.Rename(spec.Layout(), rename)))}
	return x.Related(c, renamedRecord(x, rename), "every id is renamed")
}

// renamedRecord returns the new plan with renamed ids, also in its history.
func renamedRecord(x *judge.Examination, rename func(string) string) *plan.Plan {
	p := check.Renamed(x.Out.Plan, rename)
	if p != nil && p.Record != nil {
		for i, entry := range p.Record.History {
			if e, ok := renameIn(entry, rename); ok {
				p.Record.History[i] = e
			}
		}
	}
	return p
}

// renameIn renames the ids in a plan as JSON.
func renameIn(doc jsontext.Value, rename func(string) string) (jsontext.Value, bool) {
	n := strictjson.NewTree(string(doc), maxDepth)
	if n == nil {
		return nil, false
	}
	check.Rename(spec.Layout(), rename)(n)
	return jsontext.Value(n.String()), true
}

// maxDepth bounds the nesting of documents that a check rewrites.
const maxDepth = 1000

// renameKeys renames the members of an object.
func renameKeys(doc jsontext.Value, rename func(string) string) jsontext.Value {
	n := strictjson.NewTree(string(doc), maxDepth)
	if n == nil || n.Kind != strictjson.Object {
		return doc
	}
	for i := range n.Kids {
		n.Kids[i].Name = strictjson.Quote(rename(n.Kids[i].Key()))
	}
	return jsontext.Value(n.String())
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
	out.Plan = renamedRecord(x, rename)
	out.Operations = append([]harness.OperationResult(nil), x.Out.Operations...)
	for i := range out.Operations {
		out.Operations[i].StepID = rename(out.Operations[i].StepID)
	}
	out.Warnings = append([]harness.Warning(nil), x.Out.Warnings...)
	for i, w := range out.Warnings {
		ids := collect.Map(w.IDs, rename)
		out.Warnings[i].IDs = ids
	}
	return &out
}

// oneByOne checks that operations give the same steps in one reply or in several,
// because each operation applies to the result of the ones before.
func oneByOne(x *judge.Examination) judge.Result {
	r := singleUpdate(x)
	if r == nil || x.After == nil || x.Profile.OnError != harness.Skip || len(r.wishes) < 2 || knob.Sorts(&x.Profile) {
		return judge.Skip()
	}
	for _, w := range r.wishes {
		if w.kind == "add" && w.id == "" {
			return judge.Skip() // generated ids depend on the history
		}
	}
	if x.Profile.Orphans != harness.Reject && writesBeforeRemoving(r.wishes) {
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
	if !x.Edited() || len(x.Item.Case.Replies) != 1 || x.After.Check() != nil {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Results = x.Out.Results
	var err error
	if c.Plan, err = json.Marshal(x.After); err != nil {
		return judge.Skip()
	}
	return check.Twice(x, c, operationsRules()...)
}
