package reports

import (
	"cmp"
	"maps"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/style"
)

// League compares several engines.
type League struct {
	Engines []LeagueRow `json:"engines"` // best first
}

// LeagueRow is one engine.
type LeagueRow struct {
	Engine   string       `json:"engine"`
	Verdict  Verdict      `json:"verdict"`
	Dialects []LeagueCell `json:"dialects"` // sorted by name
}

// LeagueCell is one engine in one dialect. It does not count unsupported cases and cases
// that were not run.
type LeagueCell struct {
	Dialect   string `json:"dialect"`
	Scenarios int    `json:"scenarios"`
	Passed    int    `json:"passed"`    // of the scenarios
	Generated int    `json:"generated"` // cases of fuzzing
	Right     int    `json:"right"`     // of the generated cases
	Findings  int    `json:"findings"`
}

// newLeague ranks engines by their shares of passed scenarios and generated cases, then
// by name.
func newLeague(list []*Report) *League {
	l := &League{}
	for _, r := range list {
		l.Engines = append(l.Engines, LeagueRow{r.Engine.String(), r.Verdict, r.leagueCells()})
	}
	slices.SortStableFunc(l.Engines, func(a, b LeagueRow) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.Engine, b.Engine))
	})
	return l
}

// rank returns the mean share over the engine's dialects.
func (r *LeagueRow) rank() float64 {
	sum, n := 0.0, 0
	for _, c := range r.Dialects {
		for _, x := range [][2]int{{c.Passed, c.Scenarios}, {c.Right, c.Generated}} {
			if x[1] > 0 {
				sum, n = sum+float64(x[0])/float64(x[1]), n+1
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func (r *LeagueRow) cell(dialect string) LeagueCell {
	for _, c := range r.Dialects {
		if c.Dialect == dialect {
			return c
		}
	}
	return LeagueCell{}
}

// leagueCells counts what an engine did in each dialect.
func (r *Report) leagueCells() []LeagueCell {
	by := map[string]*LeagueCell{}
	get := func(dialect string) *LeagueCell {
		if by[dialect] == nil {
			by[dialect] = &LeagueCell{Dialect: dialect}
		}
		return by[dialect]
	}
	if r.Scenarios != nil {
		for _, x := range r.Scenarios.Results {
			if x.Status == harness.NotSupported || x.Status == harness.NotRun {
				continue
			}
			c := get(x.Dialect)
			c.Scenarios++
			if x.Status == harness.Pass {
				c.Passed++
			}
		}
	}
	if r.Fuzz != nil {
		for i := range r.Fuzz.Campaigns {
			x := &r.Fuzz.Campaigns[i]
			c, counts := get(x.Dialect), x.Statuses(nil)
			c.Generated += int(x.Cases - x.Unsupported)
			c.Right += int(counts[harness.Pass])
			c.Findings += len(x.Causes)
		}
	}
	list := make([]LeagueCell, 0, len(by))
	for _, dialect := range slices.Sorted(maps.Keys(by)) {
		list = append(list, *by[dialect])
	}
	return list
}

func (l *League) dialects() []string {
	var list []string
	for _, r := range l.Engines {
		for _, c := range r.Dialects {
			list = append(list, c.Dialect)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// leagueSide is one of the two measures of a league table.
type leagueSide struct {
	title, note string
	of          func(LeagueCell) (k, n int)
}

func leagueSides() []leagueSide {
	return []leagueSide{
		{
			"scenarios", "Share of the supported scenarios that an engine passes.",
			func(c LeagueCell) (int, int) { return c.Passed, c.Scenarios },
		},
		{
			"generated cases", "Share of the generated cases without a failure.",
			func(c LeagueCell) (int, int) { return c.Right, c.Generated },
		},
	}
}

func (l *League) blocks() []block {
	var blocks []block
	for _, x := range leagueSides() {
		if rows := l.shares(x); len(rows) > 0 {
			blocks = append(blocks,
				block{table: l.matrix(x), notes: []string{x.note}},
				block{table: &table{
					title:   "League, " + x.title + ", with intervals",
					columns: []column{{name: "dialect"}, {name: "engine"}, {"n", true}, {rateName("share"), true}}, rows: rows,
				}},
			)
		}
	}
	return blocks
}

// matrix returns the table of engines × dialects.
func (l *League) matrix(x leagueSide) *table {
	t := &table{title: "League, " + x.title + " in %", columns: []column{{name: "engine"}, {name: "gate"}}}
	for _, d := range l.dialects() {
		t.columns = append(t.columns, column{d, true})
	}
	for i := range l.Engines {
		row := []cell{text(l.Engines[i].Engine), verdictCell(l.Engines[i].Verdict)}
		for _, d := range l.dialects() {
			k, n := x.of(l.Engines[i].cell(d))
			row = append(row, textIf(n > 0, "%.1f", 100*float64(k)/float64(n)))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// shares returns the rows of the same shares with n and interval.
func (l *League) shares(x leagueSide) [][]cell {
	var rows [][]cell
	for _, d := range l.dialects() {
		for i := range l.Engines {
			if k, n := x.of(l.Engines[i].cell(d)); n > 0 {
				rows = append(rows, []cell{text(d), text(l.Engines[i].Engine), number(n), rate(k, n)})
			}
		}
	}
	return rows
}

func (l *League) records() []record {
	var list []record
	for _, r := range l.Engines {
		for _, c := range r.Dialects {
			list = append(list, portion("league", r.Engine+" · "+c.Dialect, "scenarios passed", c.Passed, c.Scenarios),
				portion("league", r.Engine+" · "+c.Dialect, "generated cases right", c.Right, c.Generated),
				count("league", r.Engine+" · "+c.Dialect, "findings", c.Findings))
		}
	}
	return list
}

func verdictCell(v Verdict) cell {
	switch v {
	case Passed:
		return cell{string(v), style.Good}
	case Incomplete:
		return cell{string(v), style.Doubtful}
	}
	return cell{string(v), style.Bad}
}
