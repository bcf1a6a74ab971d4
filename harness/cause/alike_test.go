package cause

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBreaksNothing: a group of which no case is kept is explained by nothing.
func TestBreaksNothing(t *testing.T) {
	var c Campaign
	if c.breaks(suspect{}, &Group{Cases: 3}) || c.explainsGroup(nil, suspect{}, &Group{Cases: 3}, nil) {
		t.Error("a group without cases is explained")
	}
}

// TestSplit: whatever look-alikes explain of a cluster, each of its groups is in one row.
func TestSplit(t *testing.T) {
	for _, rest := range []uint64{1, 100} {
		rows := []*row{
			{groups: []Group{{ID: "a", Cases: 2}}, looksLike: "forgets"},
			{groups: []Group{{ID: "b", Cases: 3}}, looksLike: "forgets"},
			{groups: []Group{{ID: "c", Cases: rest}}},
		}
		count := map[string]int{}
		for _, r := range split(rows) {
			for _, g := range r.groups {
				count[g.ID]++
			}
		}
		if diff := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1}, count); diff != "" {
			t.Errorf("with %d cases that are not explained: %s", rest, diff)
		}
	}
}
