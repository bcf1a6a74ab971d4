package reports

import (
	"cmp"
	"path"
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/suite"
	"replanbench/scenarios"
)

// Scenarios is the section of hand-written cases.
type Scenarios struct {
	Results []ScenarioResult `json:"results"`
}

// ScenarioResult is what became of one scenario.
type ScenarioResult struct {
	ID      string         `json:"id"`
	Dialect string         `json:"dialect,omitzero"`
	Level   string         `json:"level"` // must or should
	Status  harness.Status `json:"status"`
	Reason  string         `json:"reason,omitzero"` // why it was not judged
}

// group is a directory of scenarios.
type group struct {
	name string
	Summary
}

// groups sums the results up by directory, in the order of their names.
func (s *Scenarios) groups() []group {
	byName := map[string]*group{}
	for _, r := range s.Results {
		name := path.Dir(r.ID)
		if byName[name] == nil {
			byName[name] = &group{name: name}
		}
		byName[name].Add(r.Status)
	}
	var list []group
	for _, g := range byName {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b group) int { return cmp.Compare(a.name, b.name) })
	return list
}

func (s *Scenarios) blocks() []block {
	groups := s.groups()
	total := group{name: "all"}
	for _, r := range s.Results {
		total.Add(r.Status)
	}
	if len(groups) > 1 {
		groups = append(groups, total)
	}
	statuses := met(total.Counts)
	t := table{title: "Scenarios", columns: []column{{name: "group"}, {"n", true}}}
	for _, st := range statuses {
		t.columns = append(t.columns, column{string(st), true})
	}
	t.columns = append(t.columns, column{rateName("pass"), true})
	for _, g := range groups {
		row := []cell{text(g.name), number(g.Cases)}
		for _, st := range statuses {
			row = append(row, statusCount(st, g.Counts[st]))
		}
		judged := g.Cases - g.Counts[harness.NotSupported] - g.Counts[harness.NotRun]
		t.rows = append(t.rows, append(row, rate(g.Counts[harness.Pass], judged)))
	}
	var notes []string
	if n := total.Counts[harness.NotSupported]; n > 0 {
		notes = append(notes, "The pass rate leaves out what the engine does not support.")
	}
	return []block{{table: &t, notes: notes}}
}

// met lists the statuses that occur, and always pass and fail, in their order.
func met(counts map[harness.Status]int) []harness.Status {
	var list []harness.Status
	for _, t := range harness.Statuses() {
		s := harness.Status(t.Name)
		if counts[s] > 0 || s == harness.Pass || s == harness.Fail {
			list = append(list, s)
		}
	}
	return list
}

// AddScenarios adds the section of a run of scenarios, its failures and the
// coverage. reproduce gives the command line that runs one of them again.
func (r *Report) AddScenarios(results []suite.Result, reproduce func(scenarios.Scenario) string) {
	s := &Scenarios{Results: make([]ScenarioResult, len(results))}
	for i, result := range results {
		s.Results[i] = ScenarioResult{result.Scenario.ID, result.Scenario.Case.Dialect, result.Scenario.Level, result.Status, result.Reason}
		r.Summary.Add(result.Status)
		switch result.Status {
		case harness.Pass, harness.Known, harness.NotSupported, harness.NotRun:
			continue
		}
		f := Failure{
			Suite: suiteScenarios, ID: result.Scenario.ID, Status: result.Status, Advisory: !result.FailsGate(),
			Title: result.Scenario.Doc, Message: result.Reason, Reproduce: reproduce(result.Scenario),
			Differences: Differences(result.Differences), Evidence: scenarioEvidence(result),
		}
		if f.Advisory {
			r.Summary.Advisory++
		}
		r.Failures = append(r.Failures, f)
	}
	r.Scenarios = s
	r.Coverage = append(r.Coverage, scenarioCoverage(results)...)
}

// scenarioEvidence is the case of a scenario with what the engine gave, and the
// place that the scenario wants to be blamed.
func scenarioEvidence(x suite.Result) *Evidence {
	e := &Evidence{Case: x.Scenario.Case}
	if x.Outcome.Verdict != "" {
		e.Given = &x.Outcome
		e.At = x.Outcome.At
	}
	var want struct {
		At *string `json:"at"`
	}
	if json.Unmarshal(x.Scenario.Want, &want) == nil && want.At != nil {
		e.At = want.At
	}
	return e
}

// Differences makes what a scenario did not match a part of a document.
func Differences(list []scenarios.Difference) []Difference {
	out := make([]Difference, len(list))
	for i, d := range list {
		out[i] = Difference{d.Pointer, d.Want, d.Got}
	}
	return out
}

// scenarioCoverage counts what the outcomes hold of each closed list.
func scenarioCoverage(results []suite.Result) []Coverage {
	codes, tiers, rungs := map[string]int{}, map[string]int{}, map[string]int{}
	repairs, warnings, events := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range results {
		codes[string(r.Outcome.Code)]++
		tiers[string(r.Outcome.Tier)]++
		rungs[string(r.Outcome.Rung)]++
		for _, x := range r.Outcome.Repairs {
			repairs[x.Rule]++
		}
		for _, x := range r.Outcome.Warnings {
			warnings[x.Code]++
		}
		for _, x := range r.Outcome.Events {
			events[x.Event]++
		}
	}
	return []Coverage{
		Cover("codes", harness.PlanPatchCodes(), codes),
		Cover("tiers", harness.Tiers(), tiers),
		Cover("rungs", harness.Rungs(), rungs),
		Cover("repairs", harness.RepairRules(), repairs),
		Cover("warnings", harness.PlanPatchWarnings(), warnings),
		Cover("events", harness.Events(), events),
	}
}
