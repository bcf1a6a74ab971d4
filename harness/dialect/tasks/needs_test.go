package tasks_test

import (
	"regexp"
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
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

// TestNeedsDollarIDs: an engine that does not know $N gets no call that names a task by it, in
// plain cases, in traits and in replies of several turns. Of another engine such calls need it.
func TestNeedsDollarIDs(t *testing.T) {
	d := all.Find("tasks")
	named := regexp.MustCompile(`"(id|ids|blocked_by|parent)":\[?"\$[1-9]`)
	for _, lacks := range [][]string{nil, {"dollar_ids"}} {
		source, err := d.Source(generators.Options{Without: lacks})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for i := range uint64(3000) {
			c := source.At(1, i).Case
			if !slices.ContainsFunc(c.Replies, func(r harness.Reply) bool { return named.MatchString(string(r)) }) {
				continue
			}
			if seen++; lacks != nil || !slices.Contains(d.Needs(c), "dollar_ids") {
				t.Errorf("case %d names a task by $N, of an engine that lacks %q: %q", i, lacks, c.Replies)
			}
		}
		if lacks == nil && seen < 50 {
			t.Errorf("%d cases name a task by $N, want more", seen)
		}
	}
}
