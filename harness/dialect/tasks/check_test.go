package tasks_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/judgetest"
)

// broken lists the checks that break, with their kinds, if the outcome of the reference for a case is changed.
func broken(t *testing.T, c harness.Case, change func(out *harness.Outcome), checks ...string) (list []string) {
	t.Helper()
	engine := judgetest.Engine(func(c harness.Case) (harness.Outcome, error) {
		out, err := reference.New().Eval(t.Context(), c)
		change(&out)
		return out, err
	})
	h := judgetest.Hello()
	h.Dialects["tasks"] = h.Dialects["planpatch"]
	j, err := judge.New(engine, h, all.Rules("tasks"), judge.Options{}).Only(t.Context(), judge.Item{Case: c}, checks...)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range j.Breaks {
		list = append(list, b.Check+" "+b.Kind)
	}
	return list
}

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
		got := broken(t, c, func(out *harness.Outcome) { out.Results = jsontext.Value(results) }, "refused-nothing")
		if len(got) > 0 != want {
			t.Errorf("%s: breaks %v", results, got)
		}
	}
}

// TestUnasked: a change that a rejected call does not ask for is not blamed on that call.
func TestUnasked(t *testing.T) {
	for rejected, want := range map[string]string{
		`{"id":"2"}`: "untouched-kept changed:status",
		`{"call":"update","id":"2","subject":" "}`:                    "untouched-kept changed:status",
		`{"call":"update","id":"2","subject":" ","status":"pending"}`: "refused-nothing left:status",
	} {
		c := harness.Case{
			Dialect: "tasks", Plan: jsontext.Value(`{"tasks":[{"id":"1","subject":"a","status":"pending"},` +
				`{"id":"2","subject":"b","status":"pending"}]}`),
			Replies: []harness.Reply{harness.Reply(`{"calls":[{"call":"update","id":"1","status":"completed"},` + rejected + `]}`)},
		}
		got := broken(t, c, func(out *harness.Outcome) {
			out.Plan.Steps[1].Status = plan.InProgress // starts the next task by itself
		}, "refused-nothing", "untouched-kept")
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rejected, diff)
		}
	}
}

// TestOverwritten: a task is lost if a new one takes its id, unless a carried-out call names it.
func TestOverwritten(t *testing.T) {
	for id, want := range map[string][]string{
		"1": {"done-kept gone"}, "2": {"untouched-kept gone"}, "3": nil,
	} {
		c := harness.Case{
			Dialect: "tasks", Plan: jsontext.Value(`{"tasks":[{"id":"1","subject":"a","status":"completed"},` +
				`{"id":"2","subject":"b","status":"pending"},{"id":"3","subject":"c","status":"pending"}]}`),
			Replies: []harness.Reply{`{"calls":[{"call":"delete","id":"3"},{"call":"create","subject":"new"}]}`},
		}
		got := broken(t, c, func(out *harness.Outcome) {
			out.Plan.Steps[2].ID = id
			out.Plan.Steps = slices.DeleteFunc(out.Plan.Steps, func(s plan.Step) bool {
				return s.ID == id && s.Description != "new"
			})
			out.Results = jsontext.Value(`[{"ok":true},{"ok":true,"id":"` + id + `"}]`)
			out.More = map[string]jsontext.Value{"created": jsontext.Value(`["` + id + `"]`)}
		}, "done-kept", "untouched-kept")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}
