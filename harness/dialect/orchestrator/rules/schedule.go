package rules

import (
	"slices"

	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// schedule knows which steps of a plan can run. It follows from the plan and
// the wave, so that it is no part of the state, and keeps up with finished steps
// in time linear in plan and edges over the whole run.
type schedule struct {
	plan       *plan.Plan
	places     plan.Places
	dependents [][]int
	waiting    []int // dependencies that are not done
	ready      []int // steps that can run, sorted
	open       int   // steps that are not done
}

// newSchedule makes the schedule of a sound plan; the steps of the wave are not
// ready, since they run.
func newSchedule(p *plan.Plan, wave []string) *schedule {
	n := len(p.Steps)
	s := &schedule{plan: p, places: plan.NewPlaces(p.Steps), dependents: make([][]int, n), waiting: make([]int, n)}
	for i := range p.Steps {
		if p.Steps[i].Status != plan.Done {
			s.open++
		}
		for _, d := range p.Steps[i].Dependencies {
			j := s.places.At(d)
			s.dependents[j] = append(s.dependents[j], i)
			if p.Steps[j].Status != plan.Done {
				s.waiting[i]++
			}
		}
	}
	running := collect.Set(wave)
	for i := range p.Steps {
		if !running[p.Steps[i].ID] {
			s.offer(i)
		}
	}
	return s
}

// offer makes a step ready if nothing keeps it.
func (s *schedule) offer(i int) {
	if st := s.plan.Steps[i].Status; s.waiting[i] == 0 && st != plan.Done && st != plan.Failed {
		at, _ := slices.BinarySearch(s.ready, i)
		s.ready = slices.Insert(s.ready, at, i)
	}
}

// take returns the ids of up to n ready steps, in plan order.
func (s *schedule) take(n int) []string {
	n = max(0, min(n, len(s.ready)))
	ids := collect.Map(s.ready[:n], func(i int) string { return s.plan.Steps[i].ID })
	s.ready = s.ready[n:]
	return ids
}

// done counts a step that is done, and offers those that waited for it alone.
func (s *schedule) done(id string) {
	i := s.places.At(id)
	s.open--
	for _, j := range s.dependents[i] {
		if s.waiting[j]--; s.waiting[j] == 0 {
			s.offer(j)
		}
	}
}

// block works out which steps are blocked: those that need a failed step, one
// through another. All others that are not done wait.
func (s *schedule) block() {
	var queue []int
	for i := range s.plan.Steps {
		switch st := &s.plan.Steps[i]; st.Status {
		case plan.Failed:
			queue = append(queue, i)
		case plan.Blocked, plan.InProgress:
			st.Status = plan.Pending
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, j := range s.dependents[queue[0]] {
			if st := &s.plan.Steps[j]; st.Status == plan.Pending {
				st.Status = plan.Blocked
				queue = append(queue, j)
			}
		}
	}
}
