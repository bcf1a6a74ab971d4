package reports

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/reports/measure"
	"replanbench/scenarios"
)

// Scenarios is the section of a run of scenarios.
type Scenarios struct {
	Results []ScenarioResult `json:"results"`
}

// ScenarioResult is the result of one scenario.
type ScenarioResult struct {
	ID      string         `json:"id"`
	Dialect string         `json:"dialect,omitzero"`
	Level   string         `json:"level"` // must or should
	Status  harness.Status `json:"status"`
	Reason  string         `json:"reason,omitzero"` // why it has no verdict
	Lacks   string         `json:"lacks,omitzero"`  // what the engine does not have and the scenario needs
	At      int            `json:"at,omitzero"`     // its position in the whole run, from 1, in the report of a shard
	Wider   harness.Level  `json:"wider,omitzero"`  // the level at which it fails, if it passes at the level of the run
}

// wrong returns the failing scenarios, known or not.
func (s *Scenarios) wrong() (list []*ScenarioResult) {
	if s == nil {
		return nil
	}
	right := []harness.Status{harness.Pass, harness.Fixed, harness.NotSupported, harness.NotRun}
	for i := range s.Results {
		if x := &s.Results[i]; !slices.Contains(right, x.Status) {
			list = append(list, x)
		}
	}
	return list
}

// group is a directory of scenarios.
type group struct {
	name string
	Summary
}

// groups counts the results by directory, sorted by name.
func (s *Scenarios) groups() []group {
	byName := map[string]*group{}
	for _, r := range s.Results {
		name := path.Dir(r.ID)
		if name == "." {
			name = "(no folder)"
		}
		if byName[name] == nil {
			byName[name] = &group{name: name}
		}
		byName[name].Add(r.Status)
	}
	return collect.Map(slices.Sorted(maps.Keys(byName)), func(name string) group { return *byName[name] })
}

// unsupported reports whether the engine supports no scenario of the group.
func (g group) unsupported() bool { return g.Counts[harness.NotSupported] == g.Cases }

// supported removes the groups that the engine does not support, and names them in a
// note. If the engine supports none, it keeps all.
func supported(groups []group) (kept []group, note string) {
	whole := map[string]bool{}
	for _, g := range groups {
		dialect, _, _ := strings.Cut(g.name, "/")
		was, seen := whole[dialect]
		whole[dialect] = g.unsupported() && (was || !seen)
	}
	var names []string
	counts := map[string]int{}
	for _, g := range groups {
		if !g.unsupported() {
			kept = append(kept, g)
			continue
		}
		name := g.name
		if dialect, _, _ := strings.Cut(name, "/"); whole[dialect] {
			name = dialect
		}
		if counts[name] == 0 {
			names = append(names, name)
		}
		counts[name] += g.Cases
	}
	if len(kept) == 0 || len(names) == 0 {
		return groups, ""
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, counts[name])
	}
	return kept, "Not shown, because the engine supports no scenario in it: " + strings.Join(names, ", ") + "."
}

// lacks says what skipped scenarios need that the engine does not have, most frequent first.
func (s *Scenarios) lacks() string {
	counts := map[string]int{}
	for _, x := range s.Results {
		if x.Lacks != "" {
			counts[x.Lacks]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	if len(names) == 0 {
		return " that the engine does not support."
	}
	list := collect.Map(names, func(name string) string { return fmt.Sprintf("%s (%d)", name, counts[name]) })
	text := ": the engine lacks what they need: " + firstOf(list, 3, ", ", " and %d more") + "."
	if strings.Contains(text, "the feature ") {
		text += " See replanbench list features."
	}
	return text
}

// total returns the counts of all groups.
func (s *Scenarios) total() group {
	total := group{name: "all"}
	for _, r := range s.Results {
		total.Add(r.Status)
	}
	return total
}

func (s *Scenarios) line() string {
	total := s.total()
	return total.line()
}

// tables returns the counts by directory, and for programs the result of each scenario.
func (s *Scenarios) tables() []measure.Table {
	groups, leftOut := supported(s.groups())
	total := s.total()
	if len(groups) > 1 || leftOut != "" {
		groups = append(groups, total)
	}
	t := measure.Table{Title: "Scenarios", Again: true, Columns: []measure.Column{
		measure.KeyCol("group", "group"), measure.Col("n", "scenarios"),
	}}
	statuses := met(total.Counts)
	for _, st := range statuses {
		t.Columns = append(t.Columns, measure.Col(string(st), string(st)))
	}
	t.Columns = append(t.Columns, measure.Col(measure.Rated("pass"), "passed"))
	for _, g := range groups {
		k := measure.By("group", g.name)
		t.Add(k.Count("scenarios", g.Cases))
		for _, st := range statuses {
			t.Add(k.Count(string(st), g.Counts[st]).In(statusTone(st)).If(g.Counts[st] == 0, style.Faint))
		}
		judged := g.Cases - g.Counts[harness.NotSupported] - g.Counts[harness.NotRun]
		t.Add(k.Share("passed", g.Counts[harness.Pass], judged))
	}
	t.Notes.If(total.Counts[harness.NotSupported] > 0, "The pass rate excludes scenarios that the engine does not support.")
	t.Notes.If(leftOut != "", "%s", leftOut)
	return []measure.Table{t, s.each()}
}

// each returns a measure for each scenario: 1 of 1 passed, or 0, or 0 of 0 if it has no
// verdict.
func (s *Scenarios) each() measure.Table {
	t := measure.Table{Hidden: true}
	for _, x := range s.Results {
		k := measure.By("dialect", x.Dialect, "scenario", x.ID, "level", x.Level, "status", string(x.Status))
		passed, n := 0, 1
		switch x.Status {
		case harness.Pass:
			passed = 1
		case harness.NotSupported, harness.NotRun:
			n = 0
		}
		t.Add(k.Portion("passed", passed, n).Saying(x.Reason))
	}
	return t
}

func (s *Scenarios) tests() []test {
	list := make([]test, len(s.Results))
	for i, x := range s.Results {
		list[i] = test{id: x.ID, class: path.Dir(x.ID), name: path.Base(x.ID)}
		if x.Status != harness.Pass {
			list[i].skipped = strings.TrimSuffix(string(x.Status)+": "+x.Reason, ": ")
		}
	}
	return list
}

// met lists the statuses that occur, and always pass and fail.
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

// AddScenarios adds the section of a run of scenarios, its failures and the coverage.
// reproduce returns the command line that runs one scenario, and of is the shard.
func (r *Report) AddScenarios(results []suite.Result, of shard.Shard, reproduce func(scenarios.Scenario) string) {
	s := &Scenarios{Results: make([]ScenarioResult, len(results))}
	for i, result := range results {
		s.Results[i] = ScenarioResult{
			ID: result.Scenario.ID, Dialect: result.Scenario.Case.Dialect, Level: result.Scenario.Level, Status: result.Status,
			Reason: result.Reason, Lacks: result.Lacks, Wider: result.Wider,
		}
		if !of.Whole() {
			s.Results[i].At = of.At(i) + 1
		}
		r.Summary.Add(result.Status)
		switch result.Status {
		case harness.Pass, harness.Known, harness.NotSupported, harness.NotRun:
			continue
		}
		f := Failure{
			Suite: suiteScenarios, ID: result.Scenario.ID, Status: result.Status, Advisory: !result.FailsGate(),
			Title: result.Scenario.Doc, Message: result.Reason, Reproduce: reproduce(result.Scenario),
			Differences: result.Differences, Evidence: scenarioEvidence(result),
		}
		r.Failures = append(r.Failures, f)
	}
	r.Scenarios = s
	r.Coverage = append(r.Coverage, coverage(s.Results, scenarioWords(results))...)
}

// scenarioEvidence returns the case of a scenario with the engine's outcome and the
// pointer that the scenario expects.
func scenarioEvidence(x suite.Result) *Evidence {
	e := &Evidence{Case: x.Scenario.Case, Failed: x.Failed}
	if x.Outcome.Verdict != "" {
		e.Given = &x.Outcome
		e.At = x.Outcome.At
	}
	want := harness.Outcome{}
	if json.Unmarshal(x.Scenario.Want, &want) == nil {
		if e.Want = &want; want.At != nil {
			e.At = want.At
		}
	}
	return e
}

// scenarioWords counts the names in the outcomes by closed list. It skips dialects that
// the engine does not support.
func scenarioWords(results []suite.Result) map[string]campaign.Tally {
	words, hits := campaign.NewCoverage(), map[string]campaign.Tally{}
	for i := range results {
		if s := results[i].Status; s != harness.NotSupported && s != harness.NotRun {
			words.Count(&results[i].Outcome, all.Vocabulary(results[i].Scenario.Case.Dialect).Codes)
		}
	}
	for _, k := range tallies(&words) {
		hits[k.name] = k.tally
	}
	return hits
}

// coverage returns the counts in the order of the dialects' closed lists.
func coverage(results []ScenarioResult, hits map[string]campaign.Tally) []Coverage {
	var words harness.Vocabulary
	for _, x := range results {
		if x.Status != harness.NotSupported && x.Status != harness.NotRun {
			words = words.Join(all.Vocabulary(x.Dialect))
		}
	}
	var list []Coverage
	for _, k := range []struct {
		name  string
		terms []harness.Term
	}{
		{"codes", words.Codes},
		{"tiers", words.Tiers},
		{"rungs", words.Rungs},
		{"repairs", words.Repairs},
		{"warnings", words.Warnings},
		{"events", words.Events},
		{"results", words.Results},
	} {
		if len(k.terms) > 0 {
			list = append(list, cover(k.name, k.terms, hits[k.name]))
		}
	}
	return list
}
