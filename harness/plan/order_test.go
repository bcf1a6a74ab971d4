package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness/plan"
)

// drawn draws steps with any dependencies, cycles and unknown ids included.
func drawn(t *rapid.T) (steps []plan.Step) {
	for i := range rapid.IntRange(0, 8).Draw(t, "steps") {
		s := plan.Step{ID: fmt.Sprint(i)}
		for range rapid.IntRange(0, 3).Draw(t, "dependencies") {
			s.Dependencies = append(s.Dependencies, fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "dependency")))
		}
		steps = append(steps, s)
	}
	return steps
}

// TestSorted compares with the definition: each time the first step whose dependencies are
// placed, and the first step on a cycle if there is none.
func TestSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := drawn(t)
		var want, got []string
		for left := slices.Clone(steps); len(left) > 0; {
			i := slices.IndexFunc(left, func(s plan.Step) bool {
				return !slices.ContainsFunc(s.Dependencies, func(id string) bool {
					return slices.ContainsFunc(left, func(o plan.Step) bool { return o.ID == id })
				})
			})
			i = max(i, 0)
			want, left = append(want, left[i].ID), slices.Delete(left, i, i+1)
		}
		for _, s := range plan.Sorted(steps) {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// TestNeeding compares with the definition: the changed steps, and each step that depends on
// one of the result.
func TestNeeding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps, want := drawn(t), map[string]bool{}
		if len(steps) > 0 {
			want[steps[rapid.IntRange(0, len(steps)-1).Draw(t, "changed")].ID] = true
		}
		got := plan.Needing(steps, want)
		for range steps {
			for _, s := range steps {
				if slices.ContainsFunc(s.Dependencies, func(id string) bool { return want[id] }) {
					want[s.ID] = true
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
