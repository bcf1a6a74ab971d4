package tasks_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks"
	"replanbench/harness/hunt/judge"
)

// TestAlignedOrder: results with other ids have their members in the same order each time.
func TestAlignedOrder(t *testing.T) {
	created := func(id string) harness.Outcome {
		return harness.Outcome{
			Verdict: harness.Applied, Results: jsontext.Value(`[{"ok":true,"id":"` + id + `"}]`),
			More: map[string]jsontext.Value{"created": jsontext.Value(`["` + id + `"]`)},
		}
	}
	want := created("b")
	for range 50 {
		got := tasks.Dialect().Judging.Align(&judge.Examination{Out: created("a")}, &want)
		if s := string(got.Results); s != `[{"id":"b","ok":true}]` {
			t.Fatalf("the results are %s", s)
		}
	}
}
