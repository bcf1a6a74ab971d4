package tasks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
	"replanbench/harness/score"
)

// sketch is a graph in a line: ! is completed, * in progress, < precedes blockers.
func sketch(doc []byte) string {
	if doc == nil {
		return "no plan"
	}
	var g spec.Graph
	if err := json.Unmarshal(doc, &g); err != nil {
		return err.Error()
	}
	var b []string
	for _, t := range g.Tasks {
		mark := map[plan.Status]string{plan.Completed: "!", plan.InProgress: "*"}[t.Status]
		if t.BlockedBy != nil {
			mark += "<" + strings.Join(t.BlockedBy, ",")
		}
		b = append(b, t.ID+" "+t.Subject+mark)
	}
	return strings.Join(b, "; ")
}

// TestSessions imports sessions with task tools: what each call finds is what the calls
// before it left, under the ids that the tool assigned, or what a list showed.
func TestSessions(t *testing.T) {
	for _, test := range []struct {
		importer, file string
		want           []string // id: graph before → verdict, dangers
		tally          corpora.Tally
	}{
		{"claude-code", "claude-tasks.jsonl", []string{
			"toolu_1:  → applied",
			"toolu_2: 1 Read the test → applied",
			"toolu_3: 1 Read the test; 2 Fix the race → applied",
			"toolu_4: 1 Read the test; 2 Fix the race<1 → applied",
			"toolu_5: 1 Read the test!; 2 Fix the race<1 → rejected unknown_step",
			"toolu_7: 1 Read the test!<; 2 Fix the race< → rejected done_immutable removal of 1",
			"toolu_9: no plan → no plan",
		}, corpora.Tally{
			Read:   map[string]int{"TaskCreate": 2, "TaskUpdate": 5, "TaskList": 1, "TaskGet": 1},
			NoPlan: 1,
		}},
		{"gemini-cli", "gemini.jsonl", []string{"t2:  → applied"}, corpora.Tally{
			Read: map[string]int{"tracker_create_task": 1}, Tools: map[string]int{"write_todos": 3},
		}},
	} {
		d := all.Find("tasks")
		var got []string
		var tally corpora.Tally
		for r, err := range corpora.Import(test.importer, []string{"../../../corpora/testdata/import/" + test.file},
			corpora.Options{Dialect: d.Name, Calls: d.Calls, Maps: toolmap.For(d.Name), Tally: &tally}) {
			if err != nil {
				t.Fatal(err)
			}
			s := score.Judge(&r, nil, harness.Reference(), nil)
			line := fmt.Sprintf("%s: %s → %s%s", r.ID, sketch(r.Plan), s.Verdict, s.Unscored)
			if s.Code != "" {
				line += " " + string(s.Code)
			}
			for _, danger := range s.Dangers {
				line += fmt.Sprintf(" %s of %s", danger.Kind, danger.Step)
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.file, diff)
		}
		if diff := cmp.Diff(test.tally, tally); diff != "" {
			t.Errorf("%s: tally (-want +got):\n%s", test.file, diff)
		}
	}
}
