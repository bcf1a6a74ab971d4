package tasks_test

import (
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness/dialect/all"
)

// TestNeedsBlockers: an engine without blockers needs no call that writes edges, and gets none.
func TestNeedsBlockers(t *testing.T) {
	d := all.Find("tasks")
	edges := []string{"new_blockers", "set_blockers", "add_blockers", "remove_blockers", "blocks"}
	seen := map[string]int{}
	for _, lacks := range [][]string{nil, {"blockers"}} {
		source, err := d.Source(generators.Options{Without: lacks})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(2000) {
			needs := d.Needs(source.At(1, i).Case)
			for _, name := range edges {
				if !slices.Contains(needs, name) {
					continue
				}
				if seen[name]++; lacks != nil || !slices.Contains(needs, "blockers") {
					t.Errorf("case %d needs %q, of an engine that lacks %q", i, needs, lacks)
				}
			}
		}
	}
	if len(seen) != len(edges) {
		t.Errorf("seen %v, want each of %q", seen, edges)
	}
}
