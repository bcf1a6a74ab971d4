// Package check contains the properties that outcomes of the dialect tasks must have, whatever
// the profile. It knows the results that an engine reports and never the rules.
package check

import (
	_ "embed"
	"iter"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

//go:embed kinds.json
var kinds []byte

// Rules returns the rules by which outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks: check.WithKinds(kinds, judge.Answers(), lossRules(), graphRules(), storeRules(), []judge.Check{
			again(), check.Growth(),
			judge.Relates("one-by-one", "a turn of several calls has the result of several turns of one call", oneByOne),
			judge.Relates("commute", "two updates of unconnected tasks have the same result in either order", commute),
			judge.Relates(check.RenameIDs, check.RenameText, renamed),
			judge.Relates("permute-lists", "the order of blockers has no meaning", permuted),
			judge.Relates("reword-subjects", "other subjects do not change the graph", reworded),
		}, judge.Oracles()),
		Plan: spec.Before, Align: align, Settle: settle, Parts: parts, Uncoded: true,
		Free:   func(x *judge.Examination) bool { return undetermined(x.Item.Case) },
		Chance: undetermined,
	}
}

func lossRules() []judge.Check {
	return []judge.Check{
		judge.Holds("done-kept", "a done task stays as it is unless a call that may change it names it",
			on(always, doneKept)),
		judge.Holds("refused-nothing", "a rejected call leaves the tasks that it names as they are",
			on(unreplaced, refusedNothing)),
		judge.Holds(check.ReportsMatch, "what a call reports as carried out is in the graph", on(unreplaced, reportsMatch)),
		judge.Holds("untouched-kept", "tasks that no carried-out call names stay as they are",
			on(func(v *view) bool { return !v.replaced() }, untouchedKept)),
	}
}

func graphRules() []judge.Check {
	return []judge.Check{
		judge.Holds("ids-once", "no id is assigned twice", on(always, idsOnce)),
		judge.Holds(check.DepsExist, "every blocker and parent exists", on(always, depsExist)),
		judge.Holds("deps-acyclic", "blockers and parents form no cycle", on(always, acyclic)),
		judge.Holds("not-early", "no task starts or ends while a blocker is open", on(always, notEarly)),
		judge.Holds("ready-true", "next names exactly the ready tasks", on(known, readyTrue)),
	}
}

// request is a call of a reply with the result that the engine reports.
type request struct {
	name   string
	object *strictjson.Value
	ids    []string // that it names, resolved
	result spec.Result
}

// view is what the checks know about a case.
type view struct {
	x             *judge.Examination
	before, after *spec.Graph
	settings      spec.Settings
	calls         []request
	created       []string
	warned        map[string][]string // ids by warning
	known         bool                // calls and results fit together, and an id means one task
	alone         bool                // only one call
}

// seen is the view of a case that was applied; nil of another one.
func seen(x *judge.Examination) *view {
	if !x.Edited() {
		return nil
	}
	return judge.Remembered(x, func() *view {
		v := &view{x: x, before: spec.GraphOf(x.Before), after: spec.GraphOf(x.After), settings: spec.SettingsOf(x.Profile)}
		v.created, v.warned = spec.CreatedIDs(&x.Out), map[string][]string{}
		for _, w := range x.Out.Warnings {
			v.warned[w.Code] = append(v.warned[w.Code], w.IDs...)
		}
		v.read(x, spec.Results(&x.Out))
		return v
	})
}

// read pairs the calls of strict replies with their results.
func (v *view) read(x *judge.Examination, results []spec.Result) {
	for _, r := range x.Item.Case.Replies {
		calls, ok := spec.Calls(string(r), x.Parse)
		if !ok {
			return
		}
		for i := range calls {
			v.calls = append(v.calls, request{name: calls[i].Get("call").Str(), object: &calls[i]})
		}
	}
	// If every call is carried out on its own, a result says "not run" only in the place of another one.
	moved := v.settings.Batch == spec.Each &&
		slices.ContainsFunc(results, func(r spec.Result) bool { return r.Code == spec.NotRun })
	if len(v.calls) != len(results) || moved {
		return
	}
	v.known = idsOnce(v).Broken == nil
	v.alone = len(v.calls) == 1 && v.known
	var made []string
	for i := range v.calls {
		c := &v.calls[i]
		c.result = results[i]
		spec.EachText("", c.object, func(name, text string) {
			if name != "subject" && name != "description" && name != "call" && name != "status" {
				c.ids = append(c.ids, plan.Created(strings.TrimSpace(text), made))
			}
		})
		if c.result.ID != "" {
			made = append(made, c.result.ID)
		}
		if c.result.IDs != nil {
			made = append(made, *c.result.IDs...)
		}
	}
}

// names reports whether a call that was carried out, or one that was not, names the task.
func (v *view) names(id string, ok bool) bool {
	return slices.ContainsFunc(v.calls, func(c request) bool { return c.result.OK == ok && slices.Contains(c.ids, id) })
}

// follows reports whether a carried-out call has a status, and no rejected call that names a task has one: if the
// status of a task changed that only rejected calls name, the engine starts the next task by itself.
func (v *view) follows(id string) (carried bool) {
	for _, c := range v.calls {
		switch {
		case c.object.Get("status") == nil:
		case c.result.OK:
			carried = true
		case slices.Contains(c.ids, id):
			return false
		}
	}
	return carried
}

// overwritten looks for a task of the plan, done or not, that a new task with its id has replaced.
func (v *view) overwritten(done bool) judge.Result {
	for _, id := range v.created {
		old := v.before.Find(id)
		if old == nil || old.Done() != done || v.names(id, true) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(v.after.Tasks), func(t spec.Task) bool { return t.ID != id })
		if len(left) == 1 && left[0].Subject != old.Subject {
			return judge.Broke("gone", id, "tasks", "the task "+id+" is gone: a new task has its id")
		}
	}
	return judge.Skip()
}

// replaced reports whether a call removed the open tasks.
func (v *view) replaced() bool {
	open := func(c request) bool { return c.result.OK && c.object.Get("mode").Str() == "open" }
	return slices.ContainsFunc(v.calls, open)
}

// differs names the first member in which a task is not as before. Edges to tasks that are
// gone, and a demotion, do not count.
func (v *view) differs(old, now *spec.Task) string {
	gone := func(id string) bool { return v.after.Find(id) == nil }
	lost := slices.ContainsFunc(old.BlockedBy, func(id string) bool {
		return !slices.Contains(now.BlockedBy, id) && !gone(id)
	})
	won := slices.ContainsFunc(now.BlockedBy, func(id string) bool { return !slices.Contains(old.BlockedBy, id) })
	switch {
	case old.Subject != now.Subject:
		return "subject"
	case old.Description != now.Description:
		return "description"
	case old.Status != now.Status && v.resets(now):
	case old.Status != now.Status && !slices.Contains(v.warned["demoted"], old.ID) && v.settings.InProgress != harness.Last:
		return "status"
	case old.Parent != now.Parent && (now.Parent != "" || !gone(old.Parent)):
		return "parent"
	case lost || won:
		return "blocked_by"
	}
	return ""
}

// resets reports whether a task became pending because it needs a reopened one, as the rules allow.
func (v *view) resets(now *spec.Task) bool {
	return v.settings.Dependents == knob.Reset && now.Status == plan.Pending &&
		slices.ContainsFunc(v.before.Tasks, func(t spec.Task) bool {
			return t.Done() && v.names(t.ID, true) && v.after.Reaches(now.ID, t.ID, false)
		})
}

// on returns the check of cases that were applied, if their view is so.
func on(is func(v *view) bool, look func(v *view) judge.Result) func(*judge.Examination) judge.Result {
	return func(x *judge.Examination) judge.Result {
		if v := seen(x); v != nil && is(v) {
			return look(v)
		}
		return judge.Skip()
	}
}

func always(*view) bool       { return true }
func known(v *view) bool      { return v.known }
func unreplaced(v *view) bool { return v.known && !v.replaced() }

func doneKept(v *view) judge.Result {
	if !v.known {
		return v.overwritten(true)
	}
	free := v.settings.DoneEdit == spec.Allow || v.settings.Reopen == spec.Allow || v.settings.DeleteDone == spec.Allow
	for i := range v.before.Tasks {
		t := &v.before.Tasks[i]
		if !t.Done() || free && v.names(t.ID, true) {
			continue
		}
		now := v.after.Find(t.ID)
		switch {
		case now == nil:
			return judge.Broke("gone", t.ID, "tasks", "the done task "+t.ID+" is gone")
		case !now.Done() && !v.resets(now):
			return judge.Broke("reopened", t.ID, "status", "the done task "+t.ID+" is "+string(now.Status))
		}
		named := v.names(t.ID, true) || v.names(t.ID, false) || v.replaced() // untouched-kept sees the others
		if m := v.differs(t, now); m != "" && named {
			return judge.Broke("changed:"+m, t.ID, m, "the "+m+" of the done task "+t.ID+" changed")
		}
	}
	for i, id := range v.last() {
		if v.after.Find(id) == nil && v.done(i, id) {
			return judge.Broke("gone", id, "tasks", "the done task "+id+" is gone")
		}
	}
	return judge.Held()
}

func refusedNothing(v *view) judge.Result {
	for i := range v.before.Tasks {
		t := &v.before.Tasks[i]
		if !v.names(t.ID, false) || v.names(t.ID, true) || slices.Contains(v.warned[spec.WarnCascaded], t.ID) {
			continue
		}
		now := v.after.Find(t.ID)
		if now == nil && t.Done() {
			continue // done-kept sees it
		}
		if now == nil {
			return judge.Broke("gone", t.ID, "tasks", t.ID+" is gone, and only rejected calls name it")
		}
		if m := v.differs(t, now); m != "" && (m != "status" || !v.follows(t.ID)) {
			return judge.Broke("left:"+m, t.ID, m, "the "+m+" of "+t.ID+" changed, and only rejected calls name it")
		}
	}
	made, rejected := map[string]bool{}, false
	for _, c := range v.calls {
		if c.name == "create" && c.result.OK && c.result.ID == "" {
			return judge.Held() // the engine does not report which task it created
		}
		rejected = rejected || !c.result.OK && (c.name == "create" || c.name == "replace")
		if c.name == "create" {
			made[c.result.ID] = true
		}
		if c.result.IDs != nil {
			for _, id := range *c.result.IDs {
				made[id] = true
			}
		}
	}
	for _, t := range v.after.Tasks {
		if rejected && v.before.Find(t.ID) == nil && !made[t.ID] {
			return judge.Broke("created", t.ID, "tasks", "no call reports the new task "+t.ID)
		}
	}
	return judge.Held()
}

// last yields each carried-out call on one task, if no later call can change the task, with its id.
func (v *view) last() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, c := range v.calls {
			id := plan.Created(strings.TrimSpace(c.object.Get("id").Str()), v.created)
			if c.name == "create" {
				id = c.result.ID
			}
			later := slices.ContainsFunc(v.calls[i+1:], func(o request) bool {
				return o.result.OK && (slices.Contains(o.ids, id) || o.name == "delete")
			})
			one := c.name == "create" || c.name == "update" || c.name == "delete"
			if c.result.OK && one && id != "" && !later && !yield(i, id) {
				return
			}
		}
	}
}

// done reports whether a call leaves its task done.
func (v *view) done(i int, id string) bool {
	c, old := v.calls[i], v.before.Find(id)
	status := c.object.Get("status").Str()
	return c.name != "delete" && (status == string(plan.Completed) || status == "" && old != nil && old.Done())
}

func reportsMatch(v *view) judge.Result {
	for i, id := range v.last() {
		c, t := v.calls[i], v.after.Find(id)
		if t == nil && v.done(i, id) {
			continue // done-kept sees it
		}
		told := func(member string, has string) bool {
			m := c.object.Get(member)
			text := m.Str()
			return m == nil || m.Kind != strictjson.String || v.settings.Stored(text) == has ||
				member == "status" && text == has || member == "subject" && v.settings.Stored(strings.TrimSpace(text)) == has
		}
		var wrong bool
		switch {
		case c.name == "delete":
			wrong = t != nil
		case t == nil:
			wrong = true
		default:
			wrong = !told("subject", t.Subject) || !told("description", t.Description) ||
				!told("status", string(t.Status)) && v.settings.InProgress != harness.Last
		}
		if wrong {
			return judge.Broke("undone:"+c.name, id, "tasks", "call "+strconv.Itoa(i)+" reports more than it did to "+id)
		}
		if left := v.leftOut(i, t); left != "" {
			return judge.Brokef("edge", id, "tasks", "call %d leaves out an edge between %s and %s and does not report it", i,
				id, left)
		}
	}
	return judge.Held()
}

// ids returns the ids that members of a call name, resolved.
func (v *view) ids(c request, members ...string) (list []string) {
	for _, member := range members {
		spec.EachText(member, c.object.Get(member), func(_, text string) {
			list = append(list, plan.Created(strings.TrimSpace(text), v.created))
		})
	}
	return list
}

// leftOut returns the other task of an edge that a call adds to a task and that the graph does not have;
// "" without one. The engine may leave out edges to unknown tasks if it mentions them, and later calls
// may remove the edges of the tasks that they name.
func (v *view) leftOut(call int, t *spec.Task) string {
	if t == nil {
		return ""
	}
	c := v.calls[call]
	removed := v.ids(c, "remove_blocked_by")
	blockers := slices.DeleteFunc(v.ids(c, "blocked_by"), func(id string) bool { return slices.Contains(removed, id) })
	for _, id := range append(blockers, v.ids(c, "add_blocked_by")...) {
		if v.after.Find(id) != nil && !slices.Contains(t.BlockedBy, id) {
			return id
		}
	}
	for _, id := range v.ids(c, "blocks", "add_blocks") {
		later := slices.ContainsFunc(v.calls[call+1:], func(o request) bool { return slices.Contains(o.ids, id) })
		if other := v.after.Find(id); other != nil && !later && !slices.Contains(other.BlockedBy, t.ID) {
			return id
		}
	}
	if v.dangles() || !v.x.Gives("warnings") && !v.x.Declared().Has(harness.FeatureStore) {
		return ""
	}
	mentioned := slices.Concat(v.created, v.warned[spec.WarnDropped])
	for _, id := range v.ids(c, spec.EdgeMembers()...) {
		deleted := slices.ContainsFunc(v.calls[:call], func(o request) bool {
			return o.result.OK && o.name == "delete" && slices.Contains(o.ids, id)
		})
		unknown := v.after.Find(id) == nil && (v.before.Find(id) == nil || deleted)
		if id != "" && unknown && !slices.Contains(mentioned, id) {
			return id
		}
	}
	return ""
}

// dangles reports whether an edge leads to no task. A store may give it another name.
func (v *view) dangles() bool {
	missing := func(id string) bool { return id != "" && v.after.Find(id) == nil }
	return slices.ContainsFunc(v.after.Tasks, func(t spec.Task) bool {
		return missing(t.Parent) || slices.ContainsFunc(t.BlockedBy, missing)
	})
}

func untouchedKept(v *view) judge.Result {
	if !v.known {
		return v.overwritten(false)
	}
	at := -1
	for i := range v.before.Tasks {
		t := &v.before.Tasks[i]
		place := slices.IndexFunc(v.after.Tasks, func(o spec.Task) bool { return o.ID == t.ID })
		if place >= 0 {
			if place < at && v.x.Gives(Order) {
				return judge.Broke("order", t.ID, "tasks", "the task "+t.ID+" moved")
			}
			at = place
		}
		started := place >= 0 && v.differs(t, &v.after.Tasks[place]) == "status" && v.follows(t.ID)
		if v.names(t.ID, true) || v.names(t.ID, false) && !started || slices.Contains(v.warned[spec.WarnCascaded], t.ID) ||
			v.settings.DeleteNeeded == spec.Cascade && !t.Done() {
			continue
		}
		if place < 0 && t.Done() {
			continue // done-kept sees it
		}
		if place < 0 {
			return judge.Broke("gone", t.ID, "tasks", "the task "+t.ID+" is gone")
		}
		if m := v.differs(t, &v.after.Tasks[place]); m != "" {
			return judge.Broke("changed:"+m, t.ID, m, "the "+m+" of "+t.ID+" changed")
		}
	}
	return judge.Held()
}

func idsOnce(v *view) judge.Result {
	for i, t := range v.after.Tasks {
		if v.after.Find(t.ID) != &v.after.Tasks[i] {
			return judge.Broke("twice", t.ID, "id", "two tasks have the id "+t.ID)
		}
	}
	for i, id := range v.created {
		if slices.Contains(v.created[:i], id) || v.before.Find(id) != nil {
			return judge.Broke("again", id, "created", "the id "+id+" is assigned again")
		}
	}
	return judge.Held()
}

func depsExist(v *view) judge.Result {
	var ids []string
	for _, t := range v.after.Tasks {
		ids = append(append(ids[:0], t.BlockedBy...), t.Parent)
		for _, id := range ids {
			switch {
			case id == "" || v.after.Find(id) != nil:
			case v.before.Find(id) != nil || slices.Contains(v.created, id):
				return judge.Broke("deleted", t.ID, "blocked_by", t.ID+" names "+id+", which was deleted")
			default:
				return judge.Broke("unknown", t.ID, "blocked_by", t.ID+" names "+id+", which never existed")
			}
		}
	}
	return judge.Held()
}

func acyclic(v *view) judge.Result {
	for i := range v.after.Tasks {
		t := &v.after.Tasks[i]
		if slices.Contains(t.BlockedBy, t.ID) || t.Parent == t.ID && t.ID != "" {
			return judge.Broke("self", t.ID, "blocked_by", t.ID+" depends on itself")
		}
		loop := slices.ContainsFunc(t.BlockedBy, func(b string) bool { return v.after.Reaches(b, t.ID, false) })
		if loop || t.Parent != "" && v.after.Reaches(t.Parent, t.ID, true) {
			return judge.Broke("cycle", t.ID, "blocked_by", t.ID+" is on a cycle")
		}
	}
	return judge.Held()
}

// notEarly looks at turns of one call: the graph that it leaves is the outcome.
func notEarly(v *view) judge.Result {
	if !v.alone || v.settings.Early != harness.Reject {
		return judge.Skip()
	}
	for i := range v.after.Tasks {
		t := &v.after.Tasks[i]
		old := v.before.Find(t.ID)
		if old != nil && old.Status == t.Status || !v.after.Blocked(t, v.settings.Cancelled == spec.Blocks) {
			continue
		}
		switch t.Status {
		case plan.InProgress:
			return judge.Broke("started", t.ID, "status", t.ID+" started while it is blocked")
		case plan.Completed:
			return judge.Broke("finished", t.ID, "status", t.ID+" is completed while it is blocked")
		}
	}
	return judge.Held()
}

// readyTrue looks at the last call, after which the graph is the outcome.
func readyTrue(v *view) judge.Result {
	if len(v.calls) == 0 {
		return judge.Skip()
	}
	last := v.calls[len(v.calls)-1].result
	if last.Ready == nil {
		return judge.Skip()
	}
	ready := v.after.Ready(v.settings.Cancelled == spec.Blocks)
	for _, id := range *last.Ready {
		t := v.after.Find(id)
		switch {
		case slices.Contains(ready, id):
		case t != nil && t.Status == plan.Pending:
			return judge.Broke("blocked", id, "results", id+" is named as ready and is blocked")
		default:
			return judge.Broke("closed", id, "results", id+" is named as ready and is not pending")
		}
	}
	for _, id := range ready {
		if !slices.Contains(*last.Ready, id) {
			return judge.Broke("missing", id, "results", id+" is ready and not named")
		}
	}
	return judge.Held()
}
