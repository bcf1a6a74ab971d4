package reports

import (
	"testing"

	"replanbench/harness"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// TestForgive: a cause that an earlier report has under the name of another of its groups is known, and a cause with
// other groups is new, for the gate and for the history.
func TestForgive(t *testing.T) {
	group := func(id, kind string) cause.Group {
		key := cause.Key{Check: judge.Total, Kind: kind, Culprits: []string{id}}
		return cause.Group{ID: id, Class: judge.Crashes, Cases: 9, Key: key}
	}
	report := func(causes ...cause.Cause) *Report {
		result := campaign.Result{Dialect: "todos", Causes: causes}
		for _, c := range causes {
			for _, id := range c.Groups {
				result.Groups = append(result.Groups, group(id, "crash:"+id))
			}
		}
		r := &Report{Fuzz: &Fuzz{Campaigns: []campaign.Result{result}}}
		for _, c := range causes {
			r.Failures = append(r.Failures, Failure{Suite: "fuzz", ID: c.Name("todos"), Status: harness.Fail})
		}
		return r
	}
	crash := func(id string, groups ...string) cause.Cause {
		return cause.Cause{ID: id, Class: judge.Crashes, Groups: groups}
	}
	before, after := report(crash("a", "a", "b")), report(crash("b", "a", "b"), crash("c", "c"))
	after.Forgive(before, "it was there before")
	if len(after.Failures) != 1 || after.Failures[0].ID != "todos/crash/c" {
		t.Errorf("failures %v, want the cause c alone", after.Failures)
	}
	if got := after.Past("").newSince(before.Past("")); len(got) != 1 || got[0] != "todos/crash/c" {
		t.Errorf("new since the earlier run: %v, want the cause c alone", got)
	}

	// A scenario that a cause explained before is not new without that cause.
	named := crash("a", "a")
	named.Scenarios = []string{"todos/list/one"}
	before, after = report(named), report()
	before.Scenarios = &Scenarios{Results: []ScenarioResult{{ID: "todos/list/one", Status: harness.Fail}}}
	after.Failures = []Failure{{Suite: "scenarios", ID: "todos/list/one"}, {Suite: "scenarios", ID: "todos/list/two"}}
	if got := after.Past("").newSince(before.Past("")); len(got) != 1 || got[0] != "todos/list/two" {
		t.Errorf("new since the earlier run: %v, want the scenario two alone", got)
	}
	after.Forgive(before, "it was there before")
	if !after.Failures[0].Advisory || after.Failures[1].Advisory {
		t.Errorf("failures %v, want the scenario two alone", after.Failures)
	}
}
