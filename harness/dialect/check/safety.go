package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// atomic: a rejection comes without another plan, and a reply that is applied
// after a refused one does what it would do alone.
func atomic(x *judge.Examination) judge.Result {
	if x.Out.Verdict == harness.Rejected {
		switch {
		case x.Before == nil:
			return judge.Skip()
		case x.Out.Plan == nil:
			return judge.Unseen()
		case x.Out.Plan.Equal(x.Before):
			return judge.Held()
		}
		d := outcome.Plans(x.Before, x.Out.Plan)
		return judge.Broke("left", d.Step, d.Field,
			"the reply was rejected, but the plan that comes with the rejection is not the old one")
	}
	i, ok := AppliedReply(x)
	if !ok || i == 0 || !x.Edited() || !x.Drawn() {
		return judge.Skip()
	}
	alone := x.Item.Case
	alone.Replies = alone.Replies[i : i+1]
	out, ok := x.Again(alone)
	if !ok {
		return judge.Skip()
	}
	if out.Plan == nil {
		return judge.Brokef("after", "", "verdict",
			"reply %d is applied after a refused one, and alone it gives %s", i+1, judge.Answer(out))
	}
	if d := outcome.Plans(out.Plan, x.After); d != nil {
		return judge.Brokef("after", d.Step, d.Field, "reply %d gives another plan after a refused reply than alone", i+1)
	}
	return judge.Held()
}

// AppliedReply returns the index of the applied reply, if the rung says which one it is.
func AppliedReply(x *judge.Examination) (int, bool) {
	ladder := x.Profile.Ladder
	once := func(r harness.Rung) bool {
		return collect.Count(ladder, func(l harness.Rung) bool { return l == r }) == 1
	}
	switch {
	case len(x.Item.Case.Replies) == 1:
		return 0, true
	case len(ladder) == 0 || ladder[0] != harness.RungPatch:
	case x.Out.Rung == harness.RungPatch && once(harness.RungPatch):
		return 0, true
	case x.Out.Rung == harness.RungRetry && len(ladder) > 1 && ladder[1] == harness.RungRetry && once(harness.RungRetry):
		return 1, true
	}
	return 0, false
}

// Allowing returns the checks with finished steps free that an edit names, under rules that allow it: named returns
// their ids, nil if they are unknown.
func Allowing(list []judge.Check, named func(x *judge.Examination) map[string]bool) []judge.Check {
	for i := range list {
		if list[i].Name == DoneImmutable {
			list[i].Run = func(x *judge.Examination) judge.Result { return doneKept(x, named) }
		}
	}
	return list
}

// Untouched checks the steps that an edit does not name. may reports whether it names a step to "remove", "modify" or
// "reorder" it, and freed whether a member may have changed for another reason.
func Untouched(x *judge.Examination, may func(what, id string) bool, freed func(field string, old, new *plan.Step) bool,
) judge.Result {
	last, r := -1, judge.Skip()
	var changed, order *judge.Break
	for i := range x.Before.Steps {
		s := &x.Before.Steps[i]
		at, field := place(x, s)
		if at < 0 {
			if !may("remove", s.ID) {
				return judge.Brokef("gone", s.ID, "steps", "step %q is missing, but the reply does not remove it", s.ID)
			}
			continue
		}
		new := &x.After.Steps[at]
		if changed == nil && field != "" && !may("modify", s.ID) && !freed(field, s, new) {
			changed = judge.Brokef("changed:"+field, s.ID, field, "the reply does not change step %q, but it changed: %s",
				s.ID, outcome.Change(field, s, new)).Broken
		}
		if may("reorder", s.ID) {
			continue
		}
		r = judge.Held()
		if at < last && order == nil && !knob.Sorts(&x.Profile) {
			order = judge.Brokef("order", s.ID, "order", "step %q moved, but the reply does not move it", s.ID).Broken
		}
		last = at
	}
	r.Broken = cmp.Or(changed, order)
	return r
}

// Reset reports whether a step became pending because it needs a changed one, as the profile allows.
func Reset(x *judge.Examination, changed map[string]bool, old, new *plan.Step) bool {
	return knob.Resets(&x.Profile) && new.Status == plan.Pending &&
		(old.Status != x.Before.Finished() || knob.Replaces(&x.Profile)) && plan.Needing(x.After.Steps, changed)[new.ID]
}

// doneImmutable checks that finished steps do not change.
func doneImmutable(x *judge.Examination) judge.Result { return doneKept(x, nil) }

// free reports which finished steps may change or go.
func free(x *judge.Examination, named func(x *judge.Examination) map[string]bool) func(id string) bool {
	if named == nil || !knob.Replaces(&x.Profile) {
		return func(string) bool { return false }
	}
	ids := named(x)
	if ids != nil && knob.Resets(&x.Profile) {
		before := plan.Needing(x.Before.Steps, ids)
		ids = plan.Needing(x.After.Steps, before)
		maps.Copy(ids, before)
	}
	return func(id string) bool { return ids == nil || ids[strings.TrimSpace(id)] || ids[id] }
}

func doneKept(x *judge.Examination, named func(x *judge.Examination) map[string]bool) judge.Result {
	if !x.Edited() {
		return judge.Skip()
	}
	last, r, done, isFree := -1, judge.Skip(), x.Before.Finished(), free(x, named)
	for i := range x.Before.Steps {
		s := &x.Before.Steps[i]
		if s.Status != done || isFree(s.ID) {
			continue
		}
		r = judge.Held()
		at, field := place(x, s)
		if at < 0 {
			return judge.Brokef("gone", s.ID, "", "the done step %q is gone", s.ID)
		}
		if field != "" {
			return judge.Brokef("changed:"+field, s.ID, field, "the done step %q was changed: %s", s.ID,
				outcome.Change(field, s, &x.After.Steps[at]))
		}
		if at < last && !knob.Sorts(&x.Profile) {
			return judge.Brokef("order", s.ID, "order", "the done step %q now precedes a step that it followed", s.ID)
		}
		last = at
	}
	return r
}

// place returns where a step of the old plan is in the new one, or -1, and the first member that differs. Of two steps
// with its id, it is the one that did not change: another check says that there are two.
func place(x *judge.Examination, s *plan.Step) (at int, field string) {
	if at = x.New.At(s.ID); at < 0 {
		return at, ""
	}
	if field = outcome.StepDifference(s, &x.After.Steps[at]); field == "" {
		return at, ""
	}
	if same := slices.IndexFunc(x.After.Steps, s.Equal); same >= 0 {
		return same, ""
	}
	return at, field
}

// Sound returns a check of the new plan. It skips cases whose own plan is unsound: another check reports that the
// engine accepts such a plan.
func Sound(name, text string, look func(*judge.Examination) judge.Result) judge.Check {
	return judge.Holds(name, text, look).Where(func(x *judge.Examination) bool {
		return x.After != nil && (x.Before != nil || len(x.Item.Case.Plan) == 0)
	})
}

// idsUnique: ids are unique, also without white space around them, and not blank.
func idsUnique(x *judge.Examination) judge.Result {
	for i := range x.After.Steps {
		id := x.After.Steps[i].ID
		trimmed := strings.TrimSpace(id)
		switch {
		case trimmed == "":
			return judge.Brokef("blank", id, "id", "step %d of the new plan has a blank id", i+1)
		case x.New.At(id) != i:
			return judge.Brokef("twice", id, "id", "duplicate id %q in the new plan", id)
		case trimmed != id && x.New.At(trimmed) >= 0 && x.Old.At(id) < 0:
			return judge.Brokef("padded", id, "id", "the new plan has the ids %q and %q", trimmed, id)
		}
	}
	return judge.Held()
}

// depsExist: dependencies lead somewhere.
func depsExist(x *judge.Examination) judge.Result {
	for i := range x.After.Steps {
		for _, d := range x.After.Steps[i].Dependencies {
			if x.New.At(d) < 0 {
				id := x.After.Steps[i].ID
				return judge.Brokef(dangling(x, d), id, "dependencies",
					"step %q depends on %q, which is not in the new plan", id, d)
			}
		}
	}
	return judge.Held()
}

// dangling says where a dependency leads that leads nowhere: to a step that the
// plan had, to one that was asked for and cut, or to none at all.
func dangling(x *judge.Examination, id string) string {
	if x.Old.At(id) >= 0 {
		return "removed"
	}
	for _, w := range x.Out.Warnings {
		if w.Code == harness.WarnTruncated && slices.Contains(w.IDs, id) {
			return "cut"
		}
	}
	for _, r := range x.Item.Case.Replies {
		if quoted, err := jsontext.AppendQuote(nil, id); err == nil && strings.Contains(string(r), `"id":`+string(quoted)) {
			return "cut"
		}
	}
	return "unknown"
}

// depsAcyclic: the new plan can be worked off.
func depsAcyclic(x *judge.Examination) judge.Result {
	n := len(x.After.Steps)
	if cap(x.Judge.Scratch.State) < n {
		x.Judge.Scratch.State = make([]byte, n)
	}
	s := search{&x.New, x.Judge.Scratch.State[:n]}
	clear(s.state)
	for i := range n {
		if at := s.visit(i); at >= 0 {
			id := x.After.Steps[at].ID
			return judge.Brokef(cycle(x, at), id, "dependencies", "step %q depends on itself, directly or through others", id)
		}
	}
	return judge.Held()
}

// cycle names what a step on a cycle lies on: a step that names itself, or more.
func cycle(x *judge.Examination, at int) string {
	if s := &x.After.Steps[at]; slices.Contains(s.Dependencies, s.ID) {
		return "self"
	}
	return "cycle"
}

// search is a depth-first search for a cycle.
type search struct {
	steps *plan.Places
	state []byte
}

// visit returns a step on a cycle that can be reached from step i, or -1.
func (s *search) visit(i int) int {
	const open, closed = 1, 2
	switch s.state[i] {
	case open:
		return i
	case closed:
		return -1
	}
	s.state[i] = open
	for _, d := range s.steps.Steps[i].Dependencies {
		if to := s.steps.At(d); to >= 0 {
			if at := s.visit(to); at >= 0 {
				return at
			}
		}
	}
	s.state[i] = closed
	return -1
}

// withinLimit: the plan does not outgrow its limit.
func withinLimit(x *judge.Examination) judge.Result {
	limit := x.Item.Case.Limits.MaxPlanSteps
	if limit == nil || *limit < 1 {
		return judge.Skip()
	}
	old := 0 // a run may begin without a plan
	if x.Before != nil {
		old = len(x.Before.Steps)
	}
	if n := len(x.After.Steps); n > max(*limit, old) {
		return judge.Brokef("grown", "", "steps",
			"the new plan has %d steps, the limit is %d and the old plan had %d", n, *limit, old)
	}
	return judge.Held()
}

// newPending: replies cannot declare work done, or begun.
func newPending(x *judge.Examination) judge.Result {
	if !x.Edited() {
		return judge.Skip()
	}
	done := x.Before.Finished()
	for i := range x.After.Steps {
		s := &x.After.Steps[i]
		at := x.Old.At(s.ID)
		if at < 0 && s.Status != plan.Pending {
			return judge.Brokef("added", s.ID, "status", "the added step %q starts as %q and not as pending", s.ID, s.Status)
		}
		if at >= 0 && s.Status == done && x.Before.Steps[at].Status != done {
			return judge.Brokef("became-done", s.ID, "status", "step %q became done by a reply", s.ID)
		}
	}
	return judge.Held()
}
