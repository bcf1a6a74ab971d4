package invariant

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// relatedUpdateRules compare an update by operations with others derived from
// it.
func relatedUpdateRules() []Check {
	return []Check{
		metamorphic(RenameIDs, renameText, (*examination).renameUpdate),
		metamorphic(Layout, layoutText, (*examination).layoutUpdate),
		metamorphic(OneByOne, "operations that failing ones do not stop come to the same steps one a reply", (*examination).oneByOne),
		metamorphic(ApplyTwice, twiceText, (*examination).updateTwice),
	}
}

// singleUpdate returns the only reply's update, where it is sure and can be
// written anew without running into a limit on its size.
func (x *examination) singleUpdate() *update {
	list := x.updates()
	if x.before == nil || len(list) != 1 || x.item.Case.Limits.MaxReplyBytes != nil {
		return nil
	}
	return list[0]
}

// layoutUpdate: it is the same JSON.
func (x *examination) layoutUpdate() result {
	u := x.singleUpdate()
	if u == nil {
		return skip()
	}
	return x.relaid(u.request)
}

// renameUpdate: names mean nothing, but for those that the engine makes up.
func (x *examination) renameUpdate() result {
	r := x.singleUpdate()
	if r == nil || !x.plainIDs() || !r.plainIDs() {
		return skip()
	}
	for _, w := range r.wishes {
		if w.kind == "add" && w.id == "" {
			return skip()
		}
	}
	rename := renamer()
	c := x.item.Case
	var ok bool
	if c.Plan, ok = renameIn(c.Plan, rename); !ok {
		return skip()
	}
	c.Results = renameKeys(c.Results, rename)
	c.Replies = []harness.Reply{harness.Reply(r.rewrite(rewriter{rename: rename}))}
	return x.related(c, x.renamedRecord(rename), "every id is renamed")
}

// renamedRecord returns the new plan with other ids, in its history too.
func (x *examination) renamedRecord(rename func(string) string) *plan.Plan {
	if x.out.Plan == nil {
		return nil
	}
	p := renamed(x.out.Plan, rename)
	if p.Record != nil {
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
	v := parsed(doc)
	if v == nil {
		return nil, false
	}
	w := rewriter{rename: rename, text: string(doc)}
	w.value(v, nil)
	return w.out, true
}

// renameKeys renames the names of an object.
func renameKeys(doc jsontext.Value, rename func(string) string) jsontext.Value {
	list, ok := members(doc)
	if !ok || len(doc) == 0 {
		return doc
	}
	v := strictjson.Value{Kind: strictjson.Object}
	for _, m := range list {
		v.Members = append(v.Members, strictjson.Member{Name: rename(m.Name), Value: m.Value})
	}
	return v.AppendJSON(nil)
}

// called returns the outcome with other names for ids.
func (x *examination) called(names map[string]string) *harness.Outcome {
	rename := func(id string) string {
		if to, ok := names[id]; ok {
			return to
		}
		return id
	}
	out := x.out
	out.Plan = x.renamedRecord(rename)
	out.Operations = append([]harness.OperationResult(nil), x.out.Operations...)
	for i := range out.Operations {
		out.Operations[i].StepID = rename(out.Operations[i].StepID)
	}
	out.Warnings = append([]harness.Warning(nil), x.out.Warnings...)
	for i, w := range out.Warnings {
		ids := make([]string, len(w.IDs))
		for k, id := range w.IDs {
			ids[k] = rename(id)
		}
		out.Warnings[i].IDs = ids
	}
	return &out
}

// oneByOne: each operation applies to the plan as the ones before left it, so
// it does not matter in how many replies they come.
func (x *examination) oneByOne() result {
	r := x.singleUpdate()
	if r == nil || x.after == nil || x.profile.OnError != harness.Skip || len(r.wishes) < 2 {
		return skip()
	}
	for _, w := range r.wishes {
		if w.kind == "add" && w.id == "" {
			return skip() // which ids are free to be made up depends on what was filed
		}
	}
	c := x.item.Case
	c.Replies = nil
	ops := r.root.Get("operations")
	text := r.text[r.start:r.end]
	for i := range ops.Items {
		c.Replies = append(c.Replies, harness.Reply(`{"operations":[`+text[ops.Items[i].Start:ops.Items[i].End]+"]}"))
	}
	out, ok := x.again(c)
	if !ok {
		return skip()
	}
	if out.Plan == nil {
		out.Plan = x.before
	}
	want, got := stepsOnly(x.after), stepsOnly(out.Plan)
	if step, field, words, differ := firstDifference(want, got); differ {
		return broke(step, field, "the operations come one a reply, and the steps are others: "+words)
	}
	if len(x.out.Results) > 0 && len(out.Results) > 0 && !sameJSON(x.out.Results, out.Results) {
		return broke("", "results", fmt.Sprintf("the operations come one a reply, and the results are %s and not %s", brief(string(out.Results)), brief(string(x.out.Results))))
	}
	return held()
}

func stepsOnly(p *plan.Plan) *plan.Plan { return &plan.Plan{Steps: p.Steps} }

// updateTwice: an accepted reply is safe on the plan that it made, too.
func (x *examination) updateTwice() result {
	if !x.edited() || len(x.item.Case.Replies) != 1 || x.after.Check() != nil {
		return skip()
	}
	c := x.item.Case
	c.Results = x.out.Results
	var err error
	if c.Plan, err = json.Marshal(x.after); err != nil {
		return skip()
	}
	return x.twice(c, (*examination).versionOnce, (*examination).historyKept,
		(*examination).resultsSelective, (*examination).unnamedKept, (*examination).logTrue, (*examination).idsOnce)
}
