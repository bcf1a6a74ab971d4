package cause

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
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

// TestSuspectsWriteIntoCopies: what an evaluation writes into its case spoils no
// comparison after it.
func TestSuspectsWriteIntoCopies(t *testing.T) {
	c := Campaign{Dialect: &dialect.Dialect{}}
	k := harness.Case{Plan: jsontext.Value(`{"title":"a"}`)}
	writes := func(k harness.Case, _ harness.Profile) harness.Outcome {
		copy(k.Plan, `{"title":"b"}`)
		return harness.Outcome{}
	}
	c.answer(writes, suspect{}, k, "")
	writes(c.item(generators.Sample{Case: k}, 0).Case, harness.Profile{})
	if diff := cmp.Diff(`{"title":"a"}`, string(k.Plan)); diff != "" {
		t.Errorf("the plan of the case (-want +got):\n%s", diff)
	}
}

// TestPassingIsAsked: a case for whose culprits nobody looked is not taken for one that
// shows nothing.
func TestPassingIsAsked(t *testing.T) {
	d := all.Find("planpatch")
	source, err := all.Source(d.Name, generators.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &Campaign{Dialect: d, Source: source, Seed: 1, End: 6, Ran: func(uint64) bool { return true }}
	g := &Group{Key: Key{Culprits: []string{}}, Failing: []Seen{{Index: 1}}, Unasked: []uint64{2, 4}}
	if diff := cmp.Diff([]uint64{0, 3, 5}, c.passing(g, []*Group{g})); diff != "" {
		t.Errorf("the cases that show nothing (-want +got):\n%s", diff)
	}
}
