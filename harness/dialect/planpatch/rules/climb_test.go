package rules_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	planpatch "replanbench/harness/dialect/planpatch/rules"
)

// TestClimbAsksAsEvalReads: replies that come one by one lead to the outcome
// that all of them in the case lead to, and none is asked for that is not read.
func TestClimbAsksAsEvalReads(t *testing.T) {
	pool := []harness.Reply{
		`{"update_steps":[{"id":"b","description":"new"}]}`, "no", `{"remove_steps":["zz"]}`,
		`{"add_steps":[{"id":"b","description":"x"}]}`,
		`{"type":"FullPlan","title":"t","steps":[{"id":"q","description":"x"}]}`, `{"title":"t","steps":[]}`,
	}
	ladders := []string{
		"patch,retry,fullplan", "patch,retry,react", "patch", "patch,retry,retry", "patch,fullplan",
		"fullplan",
	}
	rapid.Check(t, func(t *rapid.T) {
		p := harness.Reference()
		if err := p.Set("ladder", rapid.SampledFrom(ladders).Draw(t, "ladder")); err != nil {
			t.Fatal(err)
		}
		coming := rapid.SliceOfN(rapid.SampledFrom(pool), 0, 4).Draw(t, "replies")
		c := harness.Case{
			Dialect: "planpatch",
			Plan:    []byte(`{"title":"t","steps":[{"id":"a","description":"x","status":"done"},{"id":"b","description":"y"}]}`),
		}
		var given []harness.Reply
		out := planpatch.Climb(c, p, func(rung harness.Rung, why *harness.Refusal) (harness.Reply, bool) {
			if (why == nil) != (len(given) == 0) {
				t.Fatalf("asked for %s with the refusal %v after %d replies", rung, why, len(given))
			}
			if len(given) == len(coming) {
				return "", false
			}
			given = append(given, coming[len(given)])
			return given[len(given)-1], true
		})
		c.Replies = given
		if diff := cmp.Diff(document(t, planpatch.Eval(c, p)), document(t, out)); diff != "" {
			t.Fatalf("(-eval +climb):\n%s", diff)
		}
	})
}

func document(t *rapid.T, o harness.Outcome) string {
	data, err := json.Marshal(o, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
