package campaign

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/judge"
)

// TestInTurn: the first case of every break comes before the second of any, so that what
// all cases show leaves calls for what one does.
func TestInTurn(t *testing.T) {
	broken := func(index uint64, kinds ...string) hit {
		h := hit{index: index}
		for _, k := range kinds {
			h.judgement.Breaks = append(h.judgement.Breaks, judge.Break{Check: "c", Kind: k})
		}
		return h
	}
	hits := []hit{
		broken(1, "often"), broken(2, "often"), broken(3, "often"), broken(4, "often", "seldom"), broken(5, "once"), broken(6, "often", "seldom"),
	}
	var order []uint64
	for _, h := range (&runner{}).inTurn(hits) {
		order = append(order, h.index)
	}
	if diff := cmp.Diff([]uint64{1, 4, 5, 2, 6, 3}, order); diff != "" {
		t.Errorf("the order (-want +got):\n%s", diff)
	}
}
