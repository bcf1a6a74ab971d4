package plan

import (
	"slices"

	"replanbench/harness/document/collect"
)

// Ready returns the ids of the steps that could start now: pending, with every
// dependency done.
func (p *Plan) Ready() []string {
	places := NewPlaces(p.Steps)
	var ready []string
	for _, s := range p.Steps {
		if s.Status != Pending {
			continue
		}
		ok := true
		for _, d := range s.Dependencies {
			i := places.At(d)
			ok = ok && i >= 0 && p.Steps[i].Status == Done
		}
		if ok {
			ready = append(ready, s.ID)
		}
	}
	return ready
}

// Edge is a dependency: item Index of the dependencies of Step names To.
type Edge struct {
	Step  string
	Index int
	To    string
}

// Missing returns the first dependency, in plan order, on a step that the plan
// does not have.
func (p *Plan) Missing() (Edge, bool) {
	places := NewPlaces(p.Steps)
	e, found, _ := p.missing(&places)
	return e, found
}

// missing also reports whether a step depends on itself or on one behind it. Without such a
// step there is no cycle.
func (p *Plan) missing(places *Places) (e Edge, found, backward bool) {
	for i := range p.Steps {
		for j, d := range p.Steps[i].Dependencies {
			to := places.At(d)
			if to < 0 {
				return Edge{p.Steps[i].ID, j, d}, true, false
			}
			backward = backward || to >= i
		}
	}
	return Edge{}, false, backward
}

// Cycle returns the ids of one dependency cycle, each depending on the next
// and the last on the first, or nil. A self-dependency is a cycle of one. The
// answer is the same for equal plans, and takes time linear in steps and edges.
// Dependencies on steps that the plan does not have are passed over.
func (p *Plan) Cycle() []string {
	places := NewPlaces(p.Steps)
	return p.cycle(&places)
}

func (p *Plan) cycle(places *Places) []string {
	const (
		fresh = iota
		open
		closed
	)
	state := make([]byte, len(p.Steps))
	type frame struct{ step, next int }
	var stack []frame
	for root := range p.Steps {
		if state[root] != fresh {
			continue
		}
		stack = append(stack[:0], frame{root, 0})
		state[root] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			deps := p.Steps[top.step].Dependencies
			if top.next == len(deps) {
				state[top.step] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			to := places.At(deps[top.next])
			top.next++
			switch {
			case to < 0 || state[to] == closed:
			case state[to] == fresh:
				state[to] = open
				stack = append(stack, frame{to, 0})
			default:
				from := slices.IndexFunc(stack, func(f frame) bool { return f.step == to })
				return collect.Map(stack[from:], func(f frame) string { return p.Steps[f.step].ID })
			}
		}
	}
	return nil
}

// Graph returns the first missing dependency, or a cycle if no dependency is missing.
func (p *Plan) Graph() (missing *Edge, cycle []string) {
	places := NewPlaces(p.Steps)
	e, found, backward := p.missing(&places)
	switch {
	case found:
		return new(e), nil
	case backward:
		return nil, p.cycle(&places)
	}
	return nil, nil
}
