package invariant

import (
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// atomic: a rejection comes without another plan, and a reply that is applied
// after a refused one does what it would do alone.
func (x *examination) atomic() result {
	if x.out.Verdict == harness.Rejected {
		if x.before == nil || x.out.Plan == nil || x.out.Plan.Equal(x.before) {
			return held()
		}
		step, field, _, _ := firstDifference(x.before, x.out.Plan)
		return broke(step, field, "the reply was rejected and yet the plan that comes with the rejection is not the old one")
	}
	i, ok := x.appliedReply()
	if !ok || i == 0 || !x.edited() || !x.drawn() {
		return skip()
	}
	alone := x.item.Case
	alone.Replies = alone.Replies[i : i+1]
	out, ok := x.again(alone)
	if !ok {
		return skip()
	}
	if out.Plan == nil {
		return broke("", "verdict", fmt.Sprintf("reply %d is applied after a refused one, and alone it gives %s", i+1, Answer(out)))
	}
	if step, field, _, differ := firstDifference(out.Plan, x.after); differ {
		return broke(step, field, fmt.Sprintf("reply %d gives another plan after a refused reply than alone", i+1))
	}
	return held()
}

// appliedReply tells which reply was applied, where the rung says so.
func (x *examination) appliedReply() (int, bool) {
	ladder := x.profile.Ladder
	switch {
	case len(x.item.Case.Replies) == 1:
		return 0, true
	case len(ladder) == 0 || ladder[0] != harness.RungPatch:
	case x.out.Rung == harness.RungPatch && count(ladder, harness.RungPatch) == 1:
		return 0, true
	case x.out.Rung == harness.RungRetry && len(ladder) > 1 && ladder[1] == harness.RungRetry && count(ladder, harness.RungRetry) == 1:
		return 1, true
	}
	return 0, false
}

func count(ladder []harness.Rung, r harness.Rung) (n int) {
	for _, l := range ladder {
		if l == r {
			n++
		}
	}
	return n
}

// doneImmutable: finished work stands as it stood.
func (x *examination) doneImmutable() result {
	if !x.edited() {
		return skip()
	}
	last, r, done := -1, skip(), x.before.Finished()
	for i := range x.before.Steps {
		s := &x.before.Steps[i]
		if s.Status != done {
			continue
		}
		r = held()
		at := x.new.at(s.ID)
		if at < 0 {
			return broke(s.ID, "", fmt.Sprintf("the done step %q is gone", s.ID))
		}
		if field := stepDifference(s, &x.after.Steps[at]); field != "" {
			return broke(s.ID, field, fmt.Sprintf("the done step %q was changed: %s", s.ID, change(field, s, &x.after.Steps[at])))
		}
		if at < last {
			return broke(s.ID, "order", fmt.Sprintf("the done step %q stands before one that it stood behind", s.ID))
		}
		last = at
	}
	return r
}

// idsUnique: ids are unique and not blank.
func (x *examination) idsUnique() result {
	if x.after == nil {
		return skip()
	}
	for i := range x.after.Steps {
		id := x.after.Steps[i].ID
		if strings.TrimSpace(id) == "" {
			return broke(id, "id", fmt.Sprintf("step %d of the new plan has a blank id", i+1))
		}
		if x.new.at(id) != i {
			return broke(id, "id", fmt.Sprintf("the id %q stands twice in the new plan", id))
		}
	}
	return held()
}

// depsExist: dependencies lead somewhere.
func (x *examination) depsExist() result {
	if x.after == nil {
		return skip()
	}
	for i := range x.after.Steps {
		for _, d := range x.after.Steps[i].Dependencies {
			if x.new.at(d) < 0 {
				id := x.after.Steps[i].ID
				return broke(id, "dependencies", fmt.Sprintf("step %q depends on %q, which is not in the new plan", id, d))
			}
		}
	}
	return held()
}

// depsAcyclic: the new plan can be worked off.
func (x *examination) depsAcyclic() result {
	if x.after == nil {
		return skip()
	}
	n := len(x.after.Steps)
	if cap(x.judge.scratch.state) < n {
		x.judge.scratch.state = make([]byte, n)
	}
	s := search{&x.new, x.judge.scratch.state[:n]}
	clear(s.state)
	for i := range n {
		if at := s.visit(i); at >= 0 {
			id := x.after.Steps[at].ID
			return broke(id, "dependencies", fmt.Sprintf("step %q depends on itself, directly or through others", id))
		}
	}
	return held()
}

// search is a depth-first search for a cycle.
type search struct {
	steps *lookup
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
	for _, d := range s.steps.steps[i].Dependencies {
		if to := s.steps.at(d); to >= 0 {
			if at := s.visit(to); at >= 0 {
				return at
			}
		}
	}
	s.state[i] = closed
	return -1
}

// withinLimit: the plan does not outgrow its limit.
func (x *examination) withinLimit() result {
	limit := x.item.Case.Limits.MaxPlanSteps
	if limit == nil || x.after == nil {
		return skip()
	}
	old := 0 // a run may begin without a plan
	if x.before != nil {
		old = len(x.before.Steps)
	}
	if n := len(x.after.Steps); n > max(*limit, old) {
		return broke("", "steps", fmt.Sprintf("the new plan has %d steps, the limit is %d and the old plan had %d", n, *limit, old))
	}
	return held()
}

// newPending: replies cannot declare work done, or begun.
func (x *examination) newPending() result {
	if !x.edited() {
		return skip()
	}
	done := x.before.Finished()
	for i := range x.after.Steps {
		s := &x.after.Steps[i]
		at := x.old.at(s.ID)
		if at < 0 && s.Status != plan.Pending {
			return broke(s.ID, "status", fmt.Sprintf("the added step %q starts as %q and not as pending", s.ID, s.Status))
		}
		if at >= 0 && s.Status == done && x.before.Steps[at].Status != done {
			return broke(s.ID, "status", fmt.Sprintf("step %q became done by a reply", s.ID))
		}
	}
	return held()
}
