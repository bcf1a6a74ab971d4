package toolmap_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/plan/toolmap"
)

// TestNames gives the ids of a store to a call, and to unknown tasks an id of the same form.
func TestNames(t *testing.T) {
	n := toolmap.NewNames("")
	n.Know("A", "TASK-1")
	if got := n.Made("TASK-2"); got != "made-1" {
		t.Errorf("the first created task is %s", got)
	}
	call := toolmap.Call{"call": "update", "id": "A", "add_blocked_by": []any{"$1", " A", "$2", 7.0}, "subject": "A"}
	want := toolmap.Call{
		"call": "update", "id": "TASK-1", "subject": "A", "add_blocked_by": []any{"TASK-2", " TASK-1", "TASK-97031", 7.0},
	}
	if diff := cmp.Diff(want, n.Call(call)); diff != "" {
		t.Errorf("in ids of the store (-want +got):\n%s", diff)
	}
	want["id"], want["add_blocked_by"] = "A", []any{"made-1", " A", "$2", 7.0}
	if diff := cmp.Diff(want, n.Resolved(call)); diff != "" {
		t.Errorf("without $N (-want +got):\n%s", diff)
	}
	if got := n.Name("task-2"); got != "made-1" {
		t.Errorf("task-2 is %s", got)
	}
	if got := n.Made("TASK-1"); got != "A" {
		t.Errorf("an id that is given again has the name %s", got)
	}
}

// TestArrange keeps the order of a list of names, with the others last.
func TestArrange(t *testing.T) {
	t.Parallel()
	got := []string{"10", "x", "1", "2", "y"}
	toolmap.Arrange(got, []string{"1", "2", "10"}, func(s string) string { return s })
	if diff := cmp.Diff([]string{"1", "2", "10", "x", "y"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
