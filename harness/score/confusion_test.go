package score_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/score"
)

// Every case that both sides have is in the cell of its two outcomes.
func TestConfusion(t *testing.T) {
	before := run(t, score.Options{}, source(t, record("a", good), record("b", unknown), record("c", unknown),
		record("c/retry", good, retryOf("c")), record("alone", good)))
	after := run(t, score.Options{}, source(t, record("a", unknown), record("b", good), record("c", whole),
		record("other", good)))
	c, err := score.Compare(before, after, score.CompareOptions{})
	if err != nil || len(c.Confusions) != 1 {
		t.Fatalf("%v, %+v", err, c)
	}
	got := map[string]int{}
	x := c.Confusions[0]
	for i, row := range x.Cells {
		for j, n := range row {
			if n > 0 {
				got[x.Outcomes[i]+" → "+x.Outcomes[j]] = n
			}
		}
	}
	want := map[string]int{"at first → failed": 1, "failed → at first": 1, "retry → fullplan": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
