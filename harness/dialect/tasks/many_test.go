package tasks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// TestCallsOfManyTasks: a reply with many calls leaves the plan that the same calls leave one
// by one, refused ones among them, in a store that is large enough for an index.
func TestCallsOfManyTasks(t *testing.T) {
	eval, rules := all.Find("tasks").Eval, harness.Reference()
	for name, value := range map[string]string{"ids": "given", "create_status": "allow"} {
		if err := rules.Set(name, value, all.Rules("tasks").Knobs...); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var tasks []string
		for i := range rapid.IntRange(30, 60).Draw(t, "tasks") {
			tasks = append(tasks, fmt.Sprintf(`{"id":"task_%d","subject":"s%d","status":"pending"}`, i+1, i+1))
		}
		id := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf(`"task_%d"`, rapid.IntRange(1, len(tasks)+90).Draw(t, "id"))
		})
		call := rapid.Custom(func(t *rapid.T) string {
			to, other := id.Draw(t, "to"), id.Draw(t, "other")
			return rapid.SampledFrom([]string{
				`{"call":"create","id":` + to + `,"subject":"new","blocked_by":[` + other + `],"blocks":["task_1"]}`,
				`{"call":"create","id":` + to + `,"subject":"new","blocked_by":[` + other + `],"blocks":[` + other + `]}`,
				`{"call":"create","id":` + to + `,"subject":"new","blocked_by":[` + other + `]}`,
				`{"call":"create","id":` + to + `,"subject":"new"}`,
				`{"call":"create","id":` + to + `,"subject":"new","status":"in_progress","blocked_by":[` + other + `]}`,
				`{"call":"create","id":` + to + `,"subject":"new","status":"completed","blocks":[` + other + `]}`,
			}).Draw(t, "call")
		})
		calls := rapid.SliceOfN(call, 60, 90).Draw(t, "calls")
		start := `{"tasks":[` + strings.Join(tasks, ",") + `]}`
		after := func(before string, calls ...string) string {
			reply := harness.Reply(`{"calls":[` + strings.Join(calls, ",") + `]}`)
			out := eval(harness.Case{Dialect: "tasks", Plan: []byte(before), Replies: []harness.Reply{reply}}, rules)
			if out.Plan == nil {
				return before
			}
			data, err := json.Marshal(out.Plan)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		one := start
		for _, c := range calls {
			one = after(one, c)
		}
		if diff := cmp.Diff(one, after(start, calls...)); diff != "" {
			t.Errorf("one by one, and all at once (-one +all):\n%s", diff)
		}
	})
}
