package score

import (
	"testing"

	"replanbench/corpora"
)

// TestJoinOtherMetrics: the shard of a version with fewer metrics, and a damaged one, merge
// without the figures that they lack.
func TestJoinOtherMetrics(t *testing.T) {
	part := &part{By: []string{"source"}, Tallies: []*tally{newTally([]string{corpora.Recorded}, &Options{})}}
	part.Tallies[0].Requests = 2
	part.Tallies[0].Cases = map[uint64]counts{1: {{Yes: 1, Asked: 2}, {Yes: 0, Asked: 2}}, 2: {{Yes: 1, Asked: 1}}}
	var joined Result
	if err := joined.Join(&Result{Metrics: []string{ApplyRate, "a_former_metric"}, Part: part}); err != nil {
		t.Fatal(err)
	}
	joined.Conclude(true)
	rate, ok := joined.Groups[0].Rate(ApplyRate)
	if !ok || rate.Yes != 2 || rate.N != 3 {
		t.Errorf("the rate is %+v, want 2 of 3", rate)
	}
}
