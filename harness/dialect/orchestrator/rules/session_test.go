package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/generate"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/testdata/gentest"
)

// TestSessionIsEval: a run whose replies come one at a time ends as the run of the case
// that holds the replies it asked for.
func TestSessionIsEval(t *testing.T) {
	source := gentest.Source(t, generate.New, generators.Options{})
	for i := range uint64(500) {
		c := source.At(1, i).Case
		c.InterruptAfter = nil
		asked, bare := 0, c
		bare.Replies = nil
		got := rules.Session(bare, harness.Reference(), func(q harness.Question) (harness.Reply, bool) {
			if asked == len(c.Replies) {
				return "", false
			}
			asked++
			return c.Replies[asked-1], true
		})
		c.Replies = c.Replies[:asked]
		if diff := cmp.Diff(rules.Eval(c, harness.Reference()), got); diff != "" {
			t.Fatalf("case %d (-eval +session):\n%s", i, diff)
		}
	}
}
