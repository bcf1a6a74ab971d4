package reports_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/agent"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/reports"
	"replanbench/reports/table"
)

// TestAgentVersions shows a cause that an update repairs, one that stays, and a known one.
func TestAgentVersions(t *testing.T) {
	t.Parallel()
	run := func(known []string, list ...cause.Cause) *reports.Agent {
		a := &reports.Agent{Result: agent.Result{Profile: "small", Calls: 40}, Known: known}
		for _, c := range list {
			a.Causes = append(a.Causes, agent.Cause{Cause: c})
		}
		return a
	}
	repaired := cause.Cause{ID: "aaa", Sentence: "Hangs", Cases: 1, Of: 2}
	stays := cause.Cause{ID: "bbb", Sentence: "Drops an item", Cases: 3, Of: 4}
	advice := cause.Cause{ID: "ccc", Sentence: "Reopens an item", Advisory: true}
	v := reports.AgentVersions{
		Names: []string{"small 1", "small 2"},
		Runs:  []*reports.Agent{run(nil, repaired, stays, advice), run([]string{"bbb"}, stays)},
	}
	var b strings.Builder
	causes := v.Causes()
	if err := table.Markdown(&b, &causes); err != nil {
		t.Fatal(err)
	}
	var cells []string
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "|") {
			cells = append(cells, strings.Join(strings.Fields(line), " "))
		}
	}
	want := []string{
		"| what the agent does | small 1 | small 2 | id |",
		"| plan calls | 40 | 40 | – |",
		"| failing causes | 2 | 0 | – |",
		"| Hangs | 1 of 2 | – | aaa |",
		"| Drops an item | 3 of 4 | 3 of 4, known | bbb |",
	}
	if diff := cmp.Diff(want, append(cells[:1:1], cells[2:]...)); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}

// TestAdvisoryCauses: the summary counts the causes that fail nothing as the page lists them.
func TestAdvisoryCauses(t *testing.T) {
	t.Parallel()
	r := reports.Report{Failures: []reports.Failure{{Suite: "scenarios", ID: "todos/ids/x", Advisory: true}}}
	r.Fuzz = &reports.Fuzz{Campaigns: []campaign.Result{{Dialect: "todos", Causes: []cause.Cause{
		{ID: "aaa", Class: judge.OnlyCode, Advisory: true}, {ID: "bbb", Class: judge.Crashes},
	}}}}
	for range 2 { // it counts anew
		if r.Conclude(); r.Summary.Advisory != 2 {
			t.Errorf("%d advisory failures, want 2", r.Summary.Advisory)
		}
	}
}
