package tasks_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks"
	"replanbench/harness/dialect/tasks/spec"
)

// TestRestate writes the calls that make a graph: what a task needs before the task, and statuses at the end.
func TestRestate(t *testing.T) {
	for _, x := range []struct {
		graph, reply string
		settings     []string
		anywhere     bool
	}{
		{
			graph: `{"tasks":[{"id":"b","subject":"B","status":"in_progress","blocked_by":["a"]},
				{"id":"a","subject":"A","status":"completed"}]}`,
			reply: `{"calls":[{"call":"create","id":"a","subject":"A"},` +
				`{"blocked_by":["a"],"call":"create","id":"b","subject":"B"},` +
				`{"call":"update","id":"a","status":"completed"},{"call":"update","id":"b","status":"in_progress"}]}`,
			anywhere: true,
		},
		{
			graph: `{"tasks":[{"id":"a","subject":"A","status":"pending"}]}`, settings: []string{"in_progress=one"},
			reply: `{"calls":[{"call":"create","id":"a","subject":"A"}]}`,
		},
		// No calls make a task that was completed before its blocker, or one that waits for its own parent.
		{graph: `{"tasks":[{"id":"a","subject":"A","status":"completed","blocked_by":["b"]},{"id":"b","subject":"B","status":"pending"}]}`},
		{graph: `{"tasks":[{"id":"a","subject":"A","status":"pending","blocked_by":["b"]},` +
			`{"id":"b","subject":"B","status":"pending","parent":"a"}]}`},
	} {
		d := tasks.Dialect()
		reply, anywhere := d.Restate([]byte(x.graph), harness.Reference().With(spec.Knobs(), x.settings...))
		if diff := cmp.Diff(x.reply, reply); diff != "" || anywhere != x.anywhere {
			t.Errorf("%s: anywhere %v (-want +got):\n%s", x.graph, anywhere, diff)
		}
	}
}
