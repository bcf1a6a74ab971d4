package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/tasks/spec"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// Canonical returns the outcome with sorted blockers and subjects in normal form.
func Canonical(o *harness.Outcome) harness.Outcome {
	c := *o
	if o.Plan == nil {
		return c
	}
	g := spec.GraphOf(o.Plan)
	for i := range g.Tasks {
		g.Tasks[i].BlockedBy = slices.Sorted(slices.Values(g.Tasks[i].BlockedBy))
		g.Tasks[i].Subject = todos.Normal(g.Tasks[i].Subject)
	}
	c.Plan = g.Plan()
	return c
}

// Order is the member that an engine declares to give if the order of its tasks counts.
const Order = "order"

// Arrange puts the tasks of an outcome into the order of another one, and others behind them.
func Arrange(o, as *harness.Outcome) {
	if o.Plan == nil || as.Plan == nil {
		return
	}
	places := map[string]int{}
	for i, s := range as.Plan.Steps {
		places[s.ID] = i - len(as.Plan.Steps)
	}
	p := *o.Plan
	p.Steps = slices.SortedStableFunc(slices.Values(p.Steps),
		func(a, b plan.Step) int { return cmp.Compare(places[a.ID], places[b.ID]) })
	o.Plan = &p
}

// Reordered finds the first task with another place than the same tasks have in the right outcome.
func Reordered(want, got *harness.Outcome) *outcome.Difference {
	if want.Plan == nil || got.Plan == nil {
		return nil
	}
	arranged := *got
	Arrange(&arranged, want)
	for i, s := range arranged.Plan.Steps {
		if s.ID != got.Plan.Steps[i].ID {
			d := outcome.Differs("tasks", "the task %s is not in its place", s.ID)
			d.Step = s.ID
			return d
		}
	}
	return nil
}

// SameResults reports whether two outcomes have the same results. Codes and places are left
// to the outcome's own. What a result has beyond that is not compared, such as the id of an updated task.
func SameResults(want, got *harness.Outcome) bool {
	return slices.EqualFunc(spec.Results(want), spec.Results(got), func(w, g spec.Result) bool {
		return w.OK == g.OK && (w.ID == "" || w.ID == g.ID) && (w.IDs == nil || g.IDs != nil && slices.Equal(*w.IDs, *g.IDs)) &&
			(w.Ready == nil || g.Ready == nil || slices.Equal(*w.Ready, *g.Ready))
	})
}

// renaming maps the N-th created id to another one.
func renaming(from, to []string) map[string]string {
	names := map[string]string{}
	for i, id := range from {
		name := "$" + strconv.Itoa(i+1)
		if i < len(to) {
			name = to[i]
		}
		if _, ok := names[id]; ok {
			return nil // an id twice is another check's business
		}
		names[id] = name
	}
	return names
}

// align returns the outcome with created tasks called as in the right one; $N without one.
func align(x *judge.Examination, want *harness.Outcome) *harness.Outcome {
	from, to := spec.CreatedIDs(&x.Out), spec.CreatedIDs(want)
	if slices.Equal(from, to) {
		return &x.Out
	}
	text, err := json.Marshal(x.Out)
	var tree map[string]any
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return &x.Out
	}
	renumber(tree, renaming(from, to))
	var out harness.Outcome
	if text, err = json.Marshal(tree, json.Deterministic(true)); err != nil || json.Unmarshal(text, &out) != nil {
		return &x.Out
	}
	return &out
}

// settle makes an outcome whose results say that no call was carried out a rejection: many stores
// give a verdict for each call only.
func settle(o *harness.Outcome) {
	results := spec.Results(o)
	carried := slices.ContainsFunc(results, func(r spec.Result) bool { return r.OK })
	if o.Verdict == harness.Applied && len(results) > 0 && !carried {
		o.Verdict, o.Code = harness.Rejected, cmp.Or(results[len(results)-1].Code, harness.Refused)
	}
}

// parts are the results of the calls. A call that was not carried out because of another one is no
// rejection.
func parts(o *harness.Outcome) []judge.Part {
	results := spec.Results(o)
	list := make([]judge.Part, len(results))
	for i, r := range results {
		if list[i].Applied = r.OK || r.Code == spec.NotRun; !list[i].Applied {
			list[i].Code = r.Code
			if r.At != nil {
				list[i].At = *r.At
			}
		}
	}
	return list
}

// renamedGraph gives every task of a graph another id, and returns the graph.
func renamedGraph(g *spec.Graph, rename func(string) string) *spec.Graph {
	for i := range g.Tasks {
		t := &g.Tasks[i]
		t.ID, t.Parent = rename(t.ID), rename(t.Parent)
		t.BlockedBy = slices.Clone(t.BlockedBy)
		for k, id := range t.BlockedBy {
			t.BlockedBy[k] = rename(id)
		}
	}
	return g
}

// Numbered calls the created tasks of two outcomes $N, as want.json does. Where an outcome
// does not list them, its results name them.
func Numbered(_ harness.Case, want, got map[string]any) {
	for _, o := range []map[string]any{want, got} {
		var out harness.Outcome
		if data, err := json.Marshal(o); err == nil && json.Unmarshal(data, &out) == nil {
			renumber(o, renaming(spec.CreatedIDs(&out), nil))
		}
	}
}

// Unexplained takes code and place of a call out of both outcomes if the engine rejects it without a reason code, as
// want.json is compared for the whole reply.
func Unexplained(_ harness.Case, want, got map[string]any) {
	wanted, _ := want["results"].([]any)
	given, _ := got["results"].([]any)
	for i := range min(len(wanted), len(given)) {
		w, _ := wanted[i].(map[string]any)
		if g, _ := given[i].(map[string]any); g["code"] == string(harness.Refused) && g["ok"] == false {
			for _, result := range []map[string]any{w, g} {
				delete(result, "code")
				delete(result, "at")
			}
		}
	}
}

// renumber gives the tasks of an outcome other ids.
func renumber(o map[string]any, names map[string]string) {
	for _, member := range []string{"plan", "results", spec.CreatedMember, "warnings"} {
		if o[member] = numbered(member, o[member], names); o[member] == nil {
			delete(o, member)
		}
	}
}

func numbered(name string, v any, names map[string]string) any {
	switch v := v.(type) {
	case string:
		if to := names[v]; to != "" && name != "subject" && name != "description" {
			return to
		}
	case []any:
		for i := range v {
			v[i] = numbered(name, v[i], names)
		}
	case map[string]any:
		for name, item := range v {
			v[name] = numbered(name, item, names)
		}
	}
	return v
}

// related asks a related case and compares the graphs.
func related(x *judge.Examination, c harness.Case, change func(*spec.Graph), what string) judge.Result {
	out, ok := x.Again(c)
	switch {
	case !ok:
		return judge.Skip()
	case out.Verdict != x.Out.Verdict:
		return x.Parted(c, out, judge.Broke("", "", "verdict", what+", and the verdict changes"))
	case out.Plan == nil || x.Out.Plan == nil:
		return judge.Held()
	}
	canonical := func(o *harness.Outcome) *plan.Plan {
		names := renaming(spec.CreatedIDs(o), nil)
		g := renamedGraph(spec.GraphOf(o.Plan), func(id string) string { return cmp.Or(names[id], id) })
		change(g)
		return Canonical(&harness.Outcome{Plan: g.Plan()}).Plan
	}
	if d := outcome.Plans(canonical(&x.Out), canonical(&out)); d != nil {
		return x.Parted(c, out, judge.Broke("", d.Step, d.Field, what+", and another graph comes out: "+d.Words))
	}
	return judge.Held()
}

// strict returns the calls of the only reply; nil if it is not strict JSON.
func strict(x *judge.Examination) (raw []jsontext.Value) {
	if !check.Single(x) {
		return nil
	}
	reply := string(x.Item.Case.Replies[0])
	if calls, ok := spec.Calls(reply, x.Parse); ok {
		raw = make([]jsontext.Value, len(calls))
		for i, v := range calls {
			raw[i] = jsontext.Value(reply[v.Start:v.End])
		}
	}
	return raw
}

func oneByOne(x *judge.Examination) judge.Result {
	calls := strict(x)
	bounded := x.Item.Case.Limits.MaxDepth != nil // a call alone may be within the limit
	if bounded || len(calls) < 2 || len(calls) > 20 || spec.SettingsOf(x.Profile).Batch != spec.Each ||
		!x.Declared().Has(harness.FeatureLadder) {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Replies = nil
	for _, call := range calls {
		c.Replies = append(c.Replies, harness.Reply(`{"calls":[`+string(call)+`]}`))
	}
	return related(x, c, func(*spec.Graph) {}, "each call is a turn of its own")
}

func permuted(x *judge.Examination) judge.Result {
	if strict(x) == nil {
		return judge.Skip()
	}
	g := spec.GraphOf(x.Before)
	some := false
	for i := range g.Tasks {
		some = some || len(g.Tasks[i].BlockedBy) > 1
		slices.Reverse(g.Tasks[i].BlockedBy)
	}
	if !some {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Plan = strictjson.Encode(g)
	return related(x, c, func(*spec.Graph) {}, "the blockers are reversed")
}

// reworded gives every subject of graph and reply another word at its end.
func reworded(x *judge.Examination) judge.Result {
	calls := strict(x)
	if calls == nil || strings.Contains(string(x.Item.Case.Replies[0]), `"subject":"`) {
		return judge.Skip()
	}
	g := spec.GraphOf(x.Before)
	for i := range g.Tasks {
		g.Tasks[i].Subject += " anew"
	}
	c := x.Item.Case
	c.Plan = strictjson.Encode(g)
	return related(x, c, func(g *spec.Graph) {
		for i := range g.Tasks {
			g.Tasks[i].Subject = ""
		}
	}, "the subjects are others")
}

// renamed gives every id of graph and reply another name. An id that the engine also chose for
// a new task keeps its meaning only by chance, so such cases are skipped.
func renamed(x *judge.Examination) judge.Result {
	calls := strict(x)
	if calls == nil {
		return judge.Skip()
	}
	r := check.FindObject(x, string(x.Item.Case.Replies[0]))
	created := spec.CreatedIDs(&x.Out)
	other := check.Renamer()
	collides := false
	rename := func(id string) string {
		switch {
		case id == "" || plan.IsCreated(id):
			return id
		case slices.Contains(created, id):
			collides = true
		}
		return other(id)
	}
	if r == nil || !r.PlainIDs(spec.Layout()) {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Replies = []harness.Reply{harness.Reply(r.Rewrite(check.Rename(spec.Layout(), rename)))}
	c.Plan = strictjson.Encode(renamedGraph(spec.GraphOf(x.Before), rename))
	if collides {
		return judge.Skip()
	}
	names := map[string]string{}
	for _, t := range x.Before.Steps {
		names[rename(t.ID)] = t.ID
	}
	return related(x, c, func(g *spec.Graph) {
		renamedGraph(g, func(id string) string { return cmp.Or(names[id], id) })
	}, "every id is renamed")
}

// commute swaps two updates of one turn that follow each other.
func commute(x *judge.Examination) judge.Result {
	calls := strict(x)
	v := seen(x)
	if v == nil || !v.known || len(v.calls) != len(calls) {
		return judge.Skip()
	}
	for i := 1; i < len(calls); i++ {
		if !v.independent(&v.calls[i-1], &v.calls[i]) {
			continue
		}
		calls[i-1], calls[i] = calls[i], calls[i-1]
		c := x.Item.Case
		c.Replies = []harness.Reply{harness.Reply(strictjson.Encode(map[string]any{"calls": calls}))}
		return related(x, c, func(*spec.Graph) {}, "two independent updates are swapped")
	}
	return judge.Skip()
}

// independent reports whether two calls are updates of tasks that no path of edges or parents
// connects, before or after, and neither puts a task in progress.
func (v *view) independent(a, b *request) bool {
	for _, r := range []*request{a, b} {
		if !r.result.OK || r.name != "update" || r.object.Get("status").Str() == string(plan.InProgress) {
			return false
		}
	}
	both := spec.Graph{Tasks: slices.Concat(v.before.Tasks, v.after.Tasks)}
	reached := both.Connected(a.ids...)
	return !slices.ContainsFunc(b.ids, func(id string) bool { return reached[id] })
}
