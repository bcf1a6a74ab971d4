package todos_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/todos/spec"
)

// TestItemsOfOneName tells of items that have one name only what was done to each.
func TestItemsOfOneName(t *testing.T) {
	tests := []struct {
		name, list, reply string
		want              []string
	}{
		{
			"one is left out and gives way",
			`{"items":[{"content":"a","status":"in_progress"},{"content":"a","status":"in_progress"}]}`,
			`{"todos":[{"content":"a","status":"in_progress"},{"content":"b","status":"pending"}]}`,
			[]string{
				"a  [in_progress]", "restored: the rewrite left it out (omitted_open=restore)",
				"a  [pending]", "restored: the rewrite left it out (omitted_open=restore)",
				"pending: another item is in progress (in_progress=first)", "status: in_progress → pending",
				"b  [pending]",
			},
		},
		{
			"one is done and one left out",
			`{"items":[{"content":"a","status":"pending"},{"content":"a","status":"pending"}]}`,
			`{"todos":[{"content":"a","status":"completed"}]}`,
			[]string{
				"a  [completed]", "status: pending → completed",
				"a  [pending]", "restored: the rewrite left it out (omitted_open=restore)",
			},
		},
	}
	d := all.Find("todos")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := harness.Reference()
			if err := p.Apply("in_progress=first", spec.Knobs()...); err != nil {
				t.Fatal(err)
			}
			c := harness.Case{Dialect: d.Name, Plan: []byte(tt.list), Replies: []harness.Reply{harness.Reply(tt.reply)}}
			story := d.Tell(explain.Subject{Case: c, Profile: p, Outcome: d.Eval(c, p)})
			var got []string
			for _, l := range story.Sections[0].Lines {
				got = append(got, l.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
