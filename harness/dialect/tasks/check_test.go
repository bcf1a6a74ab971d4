package tasks_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/testdata/judgetest"
)

// TestMovedResults: no loss is reported of calls that have the results of other calls.
func TestMovedResults(t *testing.T) {
	c := harness.Case{
		Dialect: "tasks", Plan: jsontext.Value(`{"tasks":[{"id":"1","subject":"a","status":"pending"},` +
			`{"id":"2","subject":"b","status":"pending"}]}`),
		Replies: []harness.Reply{`{"calls":[{"call":"update","id":"9","subject":"x"},{"call":"update","id":"1","subject":"c"},
			{"call":"update","id":"2","subject":"d"}]}`},
	}
	for results, want := range map[string]bool{
		`[{"ok":false},{"ok":true},{"ok":true}]`:                  false,
		`[{"ok":true},{"ok":true},{"ok":false,"code":"not_run"}]`: false,
		`[{"ok":false},{"ok":false},{"ok":true}]`:                 true,
	} {
		engine := func(c harness.Case) (harness.Outcome, error) {
			out, err := reference.New().Eval(t.Context(), c)
			out.Results = jsontext.Value(results)
			return out, err
		}
		h := judgetest.Hello()
		h.Dialects["tasks"] = h.Dialects["planpatch"]
		j, err := judge.New(judgetest.Engine(engine), h, all.Rules("tasks"), judge.Options{}).Only(t.Context(),
			judge.Item{Case: c}, "refused-nothing")
		if err != nil || (len(j.Breaks) > 0) != want {
			t.Errorf("%s: %v, breaks %v", results, err, j.Breaks)
		}
	}
}
