package plan

import (
	"container/heap"
	"strings"
)

// Sorted returns steps in an order in which dependencies come before the steps that need them:
// each time the first step whose dependencies are placed. If a cycle leaves none, it is the first
// step that is not placed. Dependencies on steps that the plan does not have are passed over.
func Sorted(steps []Step) (order []Step) {
	needed := neededBy(steps)
	open := make([]int, len(steps)) // dependencies that are not placed
	for _, list := range needed {
		for _, i := range list {
			open[i]++
		}
	}
	placed := make([]bool, len(steps))
	var ready places
	for i, n := range open {
		if n == 0 {
			ready = append(ready, i) // sorted, so it is a heap
		}
	}
	for first := 0; len(order) < len(steps); {
		for first < len(steps) && placed[first] {
			first++
		}
		next := first
		if len(ready) > 0 {
			next = heap.Pop(&ready).(int)
		}
		placed[next] = true
		order = append(order, steps[next])
		for _, i := range needed[next] {
			if open[i]--; open[i] == 0 && !placed[i] {
				heap.Push(&ready, i)
			}
		}
	}
	return order
}

// Needing returns the ids of the steps that need one of the changed ones, through others too,
// and of these themselves.
func Needing(steps []Step, changed map[string]bool) map[string]bool {
	all := map[string]bool{}
	var next []int
	take := func(i int) {
		if id := steps[i].ID; !all[id] {
			all[id], next = true, append(next, i)
		}
	}
	for i := range steps {
		if id := steps[i].ID; changed[id] || changed[strings.TrimSpace(id)] { // ids of replies are trimmed
			take(i)
		}
	}
	needed := neededBy(steps)
	for len(next) > 0 {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		for _, k := range needed[i] {
			take(k)
		}
	}
	return all
}

// neededBy returns for each step the steps that depend on it.
func neededBy(steps []Step) [][]int {
	at, needed := NewPlaces(steps), make([][]int, len(steps))
	for i := range steps {
		for _, id := range steps[i].Dependencies {
			if to := at.At(id); to >= 0 {
				needed[to] = append(needed[to], i)
			}
		}
	}
	return needed
}

// places is a heap of places of steps.
type places []int

func (p places) Len() int           { return len(p) }
func (p places) Less(i, j int) bool { return p[i] < p[j] }
func (p places) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }

// Push adds a place.
func (p *places) Push(x any) { *p = append(*p, x.(int)) }

// Pop removes the last place.
func (p *places) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}
