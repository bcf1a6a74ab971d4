package tasks_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks"
)

// TestSettle: an engine without a verdict of its own gets it from its results.
func TestSettle(t *testing.T) {
	for results, want := range map[string]string{
		``:                                       "applied ",
		`[]`:                                     "applied ",
		`[{"ok":true},{"ok":false}]`:             "applied ",
		`[{"ok":false}]`:                         "rejected refused",
		`[{"ok":false},{"ok":false,"code":"x"}]`: "rejected x",
	} {
		out := harness.Outcome{Verdict: harness.Applied, Results: jsontext.Value(results)}
		tasks.Dialect().Judging.Settle(&out)
		if got := string(out.Verdict) + " " + string(out.Code); got != want {
			t.Errorf("%s: %s, want %s", results, got, want)
		}
	}
}
