package reports

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/reports/measure"
)

// League compares several engines.
type League struct {
	Engines []LeagueRow `json:"engines"` // best first
}

// LeagueRow is one engine.
type LeagueRow struct {
	Engine   string        `json:"engine"`
	Verdict  Verdict       `json:"verdict"`
	Judge    harness.Level `json:"judge,omitzero"` // as in the report of the engine
	Dialects []LeagueCell  `json:"dialects"`       // sorted by name
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
		l.Engines = append(l.Engines, LeagueRow{r.Engine.String(), r.Verdict, r.Judge, r.leagueCells()})
	}
	slices.SortStableFunc(l.Engines, func(a, b LeagueRow) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.Engine, b.Engine))
	})
	return l
}

// levels returns a warning if the engines are judged at different levels, or nothing.
func (l *League) levels() (notes measure.Notes) {
	var parts []string
	differ := false
	for _, e := range l.Engines {
		parts = append(parts, e.Engine+" at "+string(e.Judge.Effective()))
		differ = differ || e.Judge.Effective() != l.Engines[0].Judge.Effective()
	}
	notes.If(differ, "Not comparable, because the levels differ: %s (make all reports with the same --judge).",
		strings.Join(parts, ", "))
	return notes
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
	for _, x := range r.campaigns() {
		c, counts := get(x.Dialect), x.Statuses(nil)
		c.Generated += int(x.Cases - x.Unsupported)
		c.Right += int(counts[harness.Pass])
		c.Findings += len(x.Causes)
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
	title, note, metric string
	of                  func(LeagueCell) (k, n int)
}

func leagueSides() []leagueSide {
	return []leagueSide{
		{
			"scenarios", "Share of the supported scenarios that an engine passes.", "scenarios_passed",
			func(c LeagueCell) (int, int) { return c.Passed, c.Scenarios },
		},
		{
			"generated cases", "Share of the generated cases without a failure.", "generated_cases_right",
			func(c LeagueCell) (int, int) { return c.Right, c.Generated },
		},
	}
}

// tables returns for each side a matrix of engines and dialects, and the shares with
// their intervals.
func (l *League) tables() (list []measure.Table) {
	data := measure.Table{Hidden: true}
	for _, x := range leagueSides() {
		matrix := measure.Table{
			Title: "League, " + x.title + " in %", Again: true, Notes: append(l.levels(), x.note),
			Columns: []measure.Column{measure.KeyCol("engine", "engine"), measure.WordCol("gate", "gate")},
		}
		shares := measure.Table{Title: "League, " + x.title + ", with intervals", Columns: []measure.Column{
			measure.KeyCol("dialect", "dialect"), measure.KeyCol("engine", "engine"), measure.NCol("n", x.metric),
			measure.Col(measure.Rated("share"), x.metric),
		}}
		for i := range l.Engines {
			e := &l.Engines[i]
			gate := measure.By("engine", e.Engine).Words("gate", string(e.Verdict)).In(verdictTone(e.Verdict))
			matrix.Add(gate)
		}
		for _, d := range l.dialects() {
			matrix.Columns = append(matrix.Columns, measure.Col(d, x.metric, measure.Key{Name: "dialect", Value: d}))
			for i := range l.Engines {
				c := l.Engines[i].cell(d)
				k := measure.By("dialect", d, "engine", l.Engines[i].Engine)
				if part, n := x.of(c); n > 0 {
					shares.Add(k.Share(x.metric, part, n))
					matrix.Add(k.Portion(x.metric, part, n))
				}
				if x.metric == "scenarios_passed" {
					data.Add(k.Count("findings", c.Findings))
				}
			}
		}
		if len(shares.Measures) > 0 {
			list = append(list, matrix, shares)
		}
	}
	return append(list, data)
}

func verdictTone(v Verdict) style.Tone {
	switch v {
	case Passed:
		return style.Good
	case Incomplete:
		return style.Doubtful
	}
	return style.Bad
}

// plots returns one plot: scenarios and generated cases of every engine.
func (l *League) plots() []measure.Plot {
	p := measure.Plot{
		Title: "Which engine is right most often?", Note: "With 95 % intervals; best engine first.",
		Rows: []string{"engine", "dialect"}, Marks: "cases",
	}
	for i := range l.Engines {
		for _, c := range l.Engines[i].Dialects {
			for _, x := range leagueSides() {
				if k, n := x.of(c); n > 0 {
					by := measure.By("engine", l.Engines[i].Engine, "dialect", c.Dialect, "cases", x.title)
					p.Measures = append(p.Measures, by.Share(x.metric, k, n))
				}
			}
		}
	}
	return []measure.Plot{p}
}
