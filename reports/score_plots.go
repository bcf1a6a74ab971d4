package reports

import (
	"fmt"
	"slices"

	"replanbench/harness/score"
	"replanbench/reports/measure"
)

// plots answer the questions about the scores. The one table of chosen columns has none.
func (s *Score) plots() (list []measure.Plot) {
	if s.Columns != nil {
		return nil
	}
	var all []measure.Measure
	for i := range s.Groups {
		all = append(all, groupMeasures(s.keys(s.By, s.Groups[i].Key), &s.Groups[i], s.Budget)...)
	}
	for _, x := range []struct{ metric, question string }{
		{"parse_rate", "What share of first replies can be read?"},
		{"apply_rate", "What share of first replies is applied?"},
		{"fallback_rate", "What share of requests falls back to another rung?"},
		{"overflow_rate", "What share of prompts leaves no room within the budget?"},
	} {
		p := measure.Plot{Title: x.question, Note: "With 95 % intervals.", Rows: s.By}
		p.Measures = sampled(all, x.metric)
		list = append(list, p)
	}
	list = append(list, s.overflowPlots()...)
	list = append(list, measure.Plot{
		Title: "Why are first replies rejected?", Note: "Shares of the requests of a group, by code.", Rows: s.By,
		Marks: "code", Bars: true, Measures: ofMetric(all, "rejected"),
	})
	if s.Budget > 0 {
		list = append(list, s.budgetPlot())
	}
	return list
}

func ofMetric(list []measure.Measure, metric string) []measure.Measure {
	return slices.DeleteFunc(slices.Clone(list), func(m measure.Measure) bool { return m.Name != metric })
}

// sampled returns the measures of a metric with an interval: handwritten replies have none.
func sampled(list []measure.Measure, metric string) []measure.Measure {
	return slices.DeleteFunc(ofMetric(list, metric), func(m measure.Measure) bool { return m.Low == nil })
}

// overflowPlots returns a plot of each rate by degree of overflow.
func (s *Score) overflowPlots() (list []measure.Plot) {
	if s.Overflow == nil {
		return nil
	}
	for _, name := range score.OverflowRates() {
		p := measure.Plot{
			Title: "How does the " + words(name) + " depend on overflow?", Rows: s.Overflow.By,
			Note: "By policy and by tokens of the untrimmed prompt in % of the budget; with 95 % intervals.",
		}
		for i := range s.Overflow.Rows {
			r := &s.Overflow.Rows[i]
			p.Measures = append(p.Measures, rateMeasure(s.keys(s.Overflow.By, r.Key), r.Rate(name), false))
		}
		p.Measures = sampled(p.Measures, name)
		list = append(list, p)
	}
	return list
}

// budgetPlot compares tokens with the budget: p50 to p95, and the maximum.
func (s *Score) budgetPlot() measure.Plot {
	p := measure.Plot{
		Title: fmt.Sprintf("Do prompt and reply fit the budget of %s tokens?", measure.Thousands(s.Budget)), Rows: s.By,
		Note: "From the median to the 95th percentile, and the maximum; the line is the budget.",
		Line: new(float64(s.Budget)), LineName: "budget",
	}
	for i := range s.Groups {
		t := s.Groups[i].Tokens.Total
		if t.N == 0 {
			continue
		}
		k := s.keys(s.By, s.Groups[i].Key)
		p.Measures = append(p.Measures, k.Tokens("p50", t.P50).Between(float64(t.P50), float64(t.P95)).
			As("%s / %s / %s", measure.Thousands(t.P50), measure.Thousands(t.P95), measure.Thousands(t.Max)),
			k.Tokens("max", t.Max))
	}
	return p
}
