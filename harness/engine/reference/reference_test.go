package reference_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/engine/reference"
)

const (
	titled   = `{"title":"T","steps":[{"id":"a","description":"A"}]}`
	recorded = `{"name":"N","version":1,"steps":[{"id":"a","name":"A"}]}`
)

// TestBytesThatAreNoText: no document of a case makes any dialect fail, or give
// an outcome that cannot be written down. The byte ff occurs in no text.
func TestBytesThatAreNoText(t *testing.T) {
	add := harness.Reply(`{"operations":[{"type":"add","step_data":{"id":"b","name":"B"}}]}`)
	for name, test := range map[string]struct {
		c    harness.Case
		code harness.Code
	}{
		"planpatch, plan": {harness.Case{
			Dialect: "planpatch", Plan: jsontext.Value("{\"title\":\"\xff\",\"steps\":[{\"id\":\"a\",\"description\":\"A\"}]}"),
			Replies: []harness.Reply{`{"add_steps":[{"id":"b","description":"B"}]}`},
		}, harness.InvalidPlan},
		"operations, plan": {harness.Case{
			Dialect: "operations", Plan: jsontext.Value(
				"{\"name\":\"N\",\"steps\":[{\"id\":\"a\",\"name\":\"A\",\"x\":\"\xff\"}]}"),
			Replies: []harness.Reply{add},
		}, harness.InvalidPlan},
		"operations, results": {harness.Case{
			Dialect: "operations", Plan: jsontext.Value(recorded), Results: jsontext.Value("{\"a\":\"\xff\"}"),
			Replies: []harness.Reply{add},
		}, harness.InvalidPlan},
		"orchestrator, plan": {harness.Case{
			Dialect: "orchestrator", Plan: jsontext.Value(
				"{\"title\":\"\xff\",\"steps\":[{\"id\":\"a\",\"description\":\"A\"}]}"),
			Replies: []harness.Reply{`{"control":"step_done"}`},
		}, harness.InvalidPlan},
		"orchestrator, tools": {harness.Case{
			Dialect: "orchestrator", Plan: jsontext.Value(titled), Tools: jsontext.Value("[{\"ok\":true,\"output\":\"\xff\"}]"),
			Replies: []harness.Reply{`{"tool":"grep"}`, `{"control":"step_done"}`},
		}, harness.InvalidUTF8},
		"planmode, files": {harness.Case{
			Dialect: "planmode", Files: jsontext.Value("{\"a\":\"\xff\"}"),
			Calls: jsontext.Value(`[{"tool":"read","args":{"path":"a"}}]`),
		}, harness.InvalidUTF8},
		"trim, messages": {harness.Case{
			Dialect: "trim", Messages: jsontext.Value("[{\"role\":\"user\",\"content\":\"\xff\"}]"),
			Budget: jsontext.Value(`{"max_tokens":100}`), Policy: jsontext.Value(`["none"]`),
		}, harness.InvalidUTF8},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := reference.Judge(test.c, harness.Reference())
			if err != nil {
				t.Fatal(err)
			}
			if out.Verdict != harness.Rejected || out.Code != test.code {
				t.Errorf("%s %s, want %s", out.Verdict, out.Code, test.code)
			}
			if _, err := json.Marshal(out); err != nil {
				t.Errorf("the outcome cannot be written: %v", err)
			}
		})
	}
}
