package tasks_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/tasks"
	"replanbench/harness/dialect/tasks/spec"
)

func TestScore(t *testing.T) {
	const graph = `{"tasks":[
		{"id":"1","subject":"Find the file","status":"completed"},
		{"id":"2","subject":"Read it","status":"pending"},
		{"id":"3","subject":"Change it","status":"pending","blocked_by":["2"]}]}`
	type shares = map[string]dialect.Share
	before, err := spec.Before(harness.Case{Plan: []byte(graph)})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		reply   harness.Reply
		verdict harness.Verdict
		items   shares
		dangers []harness.Danger
		named   []string
	}{
		"a careful turn": {
			`{"calls":[{"call":"update","id":"2","status":"completed"},{"call":"update","id":"3","status":"in_progress"}]}`,
			harness.Applied,
			shares{"tasks_lost": {Yes: 0, Of: 2}, "tasks_reopened": {Yes: 0, Of: 1}, "tasks_early": {Yes: 0, Of: 2}},
			nil,
			[]string{"2", "3"},
		},
		"finished work reopened": {
			`{"calls":[{"call":"update","id":"1","status":"pending"}]}`, harness.Rejected,
			shares{"tasks_lost": {Yes: 0, Of: 2}, "tasks_reopened": {Yes: 1, Of: 1}},
			[]harness.Danger{{Kind: harness.DangerEdit, Step: "1"}},
			nil,
		},
		"finished work planned again": {
			`{"calls":[{"call":"create","subject":"Find  the file ","blocked_by":["9"]}]}`, harness.Rejected,
			shares{
				"tasks_lost": {Yes: 0, Of: 2}, "tasks_reopened": {Yes: 0, Of: 1}, "tasks_done_again": {Yes: 1, Of: 1}, "edges_dangling": {Yes: 1, Of: 1},
			},
			nil, nil,
		},
		"an open task deleted, another completed early": {
			`{"calls":[{"call":"update","id":"3","status":"completed"},{"call":"delete","id":"2"}]}`, harness.Rejected,
			shares{"tasks_lost": {Yes: 1, Of: 2}, "tasks_reopened": {Yes: 0, Of: 1}, "tasks_early": {Yes: 1, Of: 1}},
			nil, nil,
		},
		"unreadable": {`no JSON`, harness.Rejected, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := tasks.Dialect()
			c := harness.Case{Dialect: "tasks", Plan: []byte(graph), Replies: []harness.Reply{test.reply}}
			s := d.Score(c, before, harness.Reference())
			got := []any{s.First.Verdict, s.Items, s.Dangers, s.Named}
			want := []any{test.verdict, test.items, test.dangers, test.named}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
