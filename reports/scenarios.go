package reports

import (
	"cmp"
	"path"
	"slices"

	"replanbench/harness"
)

// Scenarios is the section of hand-written cases.
type Scenarios struct {
	Results []ScenarioResult `json:"results"`
}

// ScenarioResult is what became of one scenario.
type ScenarioResult struct {
	ID     string         `json:"id"`
	Level  string         `json:"level"` // must or should
	Status harness.Status `json:"status"`
	Reason string         `json:"reason,omitzero"` // why it was not judged
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
