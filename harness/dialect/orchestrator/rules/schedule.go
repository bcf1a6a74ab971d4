package rules

import (
	"slices"

	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// schedule knows which steps of a plan can run. It follows from the plan and the wave, so it is no part of the state.
// All updates together take time linear in steps and dependencies.
type schedule struct {
	plan    *plan.Plan
	places  plan.Places
	edges   []edge
	last    []int    // of each step, the index in edges behind the last edge to it, or 0
	waiting []int    // dependencies that are not done
	ready   []int    // steps that can run, sorted
	ids     []string // of the steps taken
	open    int      // steps that are not done
}

// edge is a step that depends on another one, and the edge to that one before, as in last.
type edge struct{ from, before int }

// newSchedule makes the schedule of a sound plan. The steps of the wave are running, and not ready.
func newSchedule(p *plan.Plan, wave []string) *schedule {
	n := len(p.Steps)
	memory := make([]int, 3*n)
	s := &schedule{
		plan: p, places: plan.NewPlaces(p.Steps), edges: make([]edge, 0, n), last: memory[:n], waiting: memory[n : 2*n],
		ready: memory[2*n : 2*n], ids: make([]string, 0, n),
	}
	for i := range p.Steps {
		if p.Steps[i].Status != plan.Done {
			s.open++
		}
		for _, d := range p.Steps[i].Dependencies {
			j := s.places.At(d)
			s.edges = append(s.edges, edge{i, s.last[j]})
			s.last[j] = len(s.edges)
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
	before := len(s.ids)
	for _, i := range s.ready[:n] {
		s.ids = append(s.ids, s.plan.Steps[i].ID)
	}
	s.ready = s.ready[n:]
	return s.ids[before:]
}

// done counts a step that is done, and offers those that waited for it alone.
func (s *schedule) done(id string) {
	i := s.places.At(id)
	s.open--
	for at := s.last[i]; at > 0; at = s.edges[at-1].before {
		j := s.edges[at-1].from
		if s.waiting[j]--; s.waiting[j] == 0 {
			s.offer(j)
		}
	}
}

// block marks steps as blocked that need a failed step, directly or through others. The other open steps wait.
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
		for at := s.last[queue[0]]; at > 0; at = s.edges[at-1].before {
			if j := s.edges[at-1].from; s.plan.Steps[j].Status == plan.Pending {
				s.plan.Steps[j].Status = plan.Blocked
				queue = append(queue, j)
			}
		}
	}
}
