package reports

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/history/simulate"
	"replanbench/harness/stats"
)

// plots are the figures behind the pictures of a page. The page's script draws
// them; the same figures stand in its tables.
type plots struct {
	Rates  []ratePoint  `json:"rates"`
	Forest []difference `json:"forest"`
	Codes  []plotCount  `json:"codes"`
	Faults []plotCount  `json:"faults"`
	Kills  []plotCount  `json:"kills"`
	Trim   []trimmedBar `json:"trim"`
}

// ratePoint is a rate with its interval, in one of several panels.
type ratePoint struct {
	Panel string  `json:"panel"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"`
}

// difference is one of a rate with its interval, in one of several panels.
type difference struct {
	Panel   string  `json:"panel"`
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	N       int     `json:"n"`
	Verdict string  `json:"verdict"`
}

// plotCount is a count of a field of a plane.
type plotCount struct {
	X string `json:"x"`
	Y string `json:"y"`
	N int    `json:"n"`
	// Panel tells planes apart.
	Panel string `json:"panel,omitempty"`
}

// trimmedBar is a part of a bar: the tokens of a tag under a policy.
type trimmedBar struct {
	Panel  string `json:"panel"`
	Policy string `json:"policy"`
	Tag    string `json:"tag"`
	Tokens int    `json:"tokens"`
}

// plotted is how many points a picture has at most; the tables hold them all.
const plotted = 600

func (r *Report) plots() plots {
	p := plots{Rates: r.ratePoints(), Forest: r.forest(), Codes: r.codeCounts(), Faults: r.faultCounts(), Kills: r.killCounts(), Trim: r.trimmedBars()}
	p.Rates = p.Rates[:min(plotted, len(p.Rates))]
	p.Codes = p.Codes[:min(plotted, len(p.Codes))]
	p.Forest = p.Forest[:min(plotted, len(p.Forest))]
	return p
}

// comparisons are all that the report holds.
func (r *Report) comparisons() (list []*Comparison) {
	if r.Comparison != nil {
		list = append(list, r.Comparison)
	}
	if r.Live != nil {
		for i := range r.Live.Comparisons {
			list = append(list, &r.Live.Comparisons[i])
		}
	}
	return list
}

// forest are the differences of rates that comparisons found, by metric.
func (r *Report) forest() []difference {
	list := []difference{}
	for _, c := range r.comparisons() {
		for _, row := range c.Rows {
			if row.Bare || isMean(row.Metric) {
				continue
			}
			name := strings.Join(append([]string{c.Base + " → " + c.New}, row.Key...), ", ")
			list = append(list, difference{words(row.Metric), harmless(name), row.Difference, row.Low, row.High, row.Pairs, shortVerdict(row.Verdict)})
		}
	}
	slices.SortStableFunc(list, func(a, b difference) int { return strings.Compare(a.Panel, b.Panel) })
	return list
}

func (r *Report) ratePoints() []ratePoint {
	list := []ratePoint{}
	wilson := func(panel, name string, k, n int) {
		if n > 0 {
			lo, hi := stats.Wilson(k, n, confidence)
			list = append(list, ratePoint{harmless(panel), harmless(name), float64(k) / float64(n), lo, hi, n})
		}
	}
	if r.League != nil {
		for _, row := range r.League.Engines {
			for _, c := range row.Dialects {
				wilson("scenarios, "+c.Dialect, row.Engine, c.Passed, c.Scenarios)
				wilson("generated cases, "+c.Dialect, row.Engine, c.Right, c.Generated)
			}
		}
	}
	if r.Score != nil {
		for _, m := range []string{"parse_rate", "apply_rate", "fallback_rate", "overflow_rate"} {
			list = append(list, r.Score.points(m)...)
		}
	}
	if r.Scenarios != nil {
		for _, g := range r.Scenarios.groups() {
			judged := g.Cases - g.Counts[harness.NotSupported] - g.Counts[harness.NotRun]
			wilson("scenarios that pass", g.name, g.Counts[harness.Pass], judged)
		}
	}
	if r.Trim != nil && r.Trim.Many != nil {
		for _, t := range r.Trim.Many.Tallies {
			wilson("trimming that is safe", t.Policy, t.Safe.K, t.Safe.N)
		}
	}
	return list
}

func (s *Score) points(metric string) []ratePoint {
	var list []ratePoint
	for i := range s.Groups {
		if x, _ := s.Groups[i].Rate(metric); x.N > 0 && !x.Bare {
			list = append(list, ratePoint{words(metric), harmless(label(slices.Clone(s.Groups[i].Key))), x.Value, x.Low, x.High, x.N})
		}
	}
	return list
}

// codeCounts says why first replies were refused, by group of the scores.
func (r *Report) codeCounts() []plotCount {
	list := []plotCount{}
	if r.Score == nil {
		return list
	}
	for _, g := range r.Score.Groups {
		for _, f := range g.Failures {
			list = append(list, plotCount{X: string(f.Code), Y: harmless(label(slices.Clone(g.Key))), N: f.N})
		}
	}
	return list
}

// faultCounts says what came of the cases with each planted fault.
func (r *Report) faultCounts() []plotCount {
	list := []plotCount{}
	if r.Fuzz == nil {
		return list
	}
	for i := range r.Fuzz.Campaigns {
		c := &r.Fuzz.Campaigns[i]
		for _, name := range c.Coverage.Outcomes.Names() {
			fault, outcome, _ := strings.Cut(name, " ")
			list = append(list, plotCount{X: harmless(outcome), Y: harmless(fault), N: int(c.Coverage.Outcomes[name]), Panel: harmless(c.Dialect)})
		}
	}
	return list
}

// killCounts says how many hunts for a defect ended with each check.
func (r *Report) killCounts() []plotCount {
	list := []plotCount{}
	if r.Calibration == nil {
		return list
	}
	for _, d := range r.Calibration.Defects {
		by := map[string]int{}
		for _, h := range d.Hunts {
			if h.Check != "" {
				by[h.Check]++
			}
		}
		for _, check := range d.Checks {
			list = append(list, plotCount{X: harmless(check), Y: harmless(d.Name), N: by[check]})
		}
	}
	return list
}

// trimmedBars are the tokens that each policy left, by what the messages carry,
// and those that it cut.
func (r *Report) trimmedBars() []trimmedBar {
	list := []trimmedBar{}
	if r.Trim == nil {
		return list
	}
	add := func(panel string, t simulate.Tally) {
		lost := 0
		for _, l := range t.Losses {
			list = append(list, trimmedBar{harmless(panel), harmless(t.Policy), harmless(tagName(l.Tag)), l.TokensAfter})
			lost += l.TokensBefore - l.TokensAfter
		}
		if len(t.Losses) > 0 {
			list = append(list, trimmedBar{harmless(panel), harmless(t.Policy), cutAway, lost})
		}
	}
	for _, s := range r.Trim.Single {
		for _, p := range s.Policies {
			add(s.Name, p.Tally)
		}
	}
	if r.Trim.Many != nil {
		for _, t := range r.Trim.Many.Tallies {
			add(r.Trim.Many.Name, t)
		}
	}
	return list
}

// cutAway names the part of a bar that is gone.
const cutAway = "cut away"
