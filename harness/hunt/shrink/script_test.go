package shrink_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// In a run each step takes a reply, and each tool call a result, so that
// neither can go alone.
func TestStepsGoWithTheirReplies(t *testing.T) {
	c := harness.Case{
		Dialect: "orchestrator",
		Plan:    jsontext.Value(`{"title":"T","steps":[{"id":"one","description":"x"},{"id":"two","description":"y"},{"id":"three","description":"z"}]}`),
		Replies: []harness.Reply{
			`{"tool":"grep"}`, `{"control":"step_done"}`, `{"tool":"edit"}`, `{"control":"step_done"}`,
			`{"control":"step_done"}`,
		},
		Tools: jsontext.Value(`[{"ok":true},{"ok":false}]`),
	}
	type list struct {
		Steps []jsontext.Value `json:"steps"`
	}
	small, _ := shrunk(all.Find(c.Dialect), c, 500, func(c harness.Case) bool {
		var p list
		var tools []struct {
			OK bool `json:"ok"`
		}
		if json.Unmarshal(c.Plan, &p) != nil || json.Unmarshal(c.Tools, &tools) != nil || len(p.Steps) == 0 {
			return false
		}
		failed := 0
		for _, tool := range tools {
			if !tool.OK {
				failed++
			}
		}
		return len(c.Replies) == len(p.Steps)+len(tools) && failed == 1
	})
	if len(small.Replies) != 2 {
		t.Errorf("replies %q to the plan %s with the tools %s, want two", small.Replies, small.Plan, small.Tools)
	}
}
