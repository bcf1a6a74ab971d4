package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness/score"
	"replanbench/reports/measure"
)

// oneTable returns the chosen columns as one table with a row for each group. It shows a
// share as k of n with its interval.
func (s *Score) oneTable() measure.Table {
	t := measure.Table{Title: "Scores: k of n, % [95 % CI]", Pieces: true, Repeated: len(s.By)}
	for _, key := range s.By {
		t.Columns = append(t.Columns, measure.KeyCol(key, key))
	}
	metrics := s.metrics()
	for _, name := range s.Columns {
		t.Columns = append(t.Columns, measure.Col(name, metrics[name]))
	}
	for i := range s.Groups {
		k := s.keys(s.By, s.Groups[i].Key).With("place", strconv.Itoa(i))
		for _, name := range s.Columns {
			f, ok := s.Groups[i].Figure(name)
			t.Add(figureMeasure(k, metrics[name], f, ok))
		}
	}
	return t
}

// metrics returns the metric of each column.
func (s *Score) metrics() map[string]string {
	list := map[string]string{}
	for _, name := range s.Columns {
		list[name] = name
		for i := range s.Groups {
			if f, _ := s.Groups[i].Figure(name); f.Name != "" {
				list[name] = f.Name
			}
		}
	}
	return list
}

// figureMeasure returns the measure of a column.
func figureMeasure(k measure.Keys, name string, f score.Figure, ok bool) measure.Measure {
	interval := func(scale float64) string {
		if !f.HasInterval() {
			return ""
		}
		return fmt.Sprintf(" [%.1f–%.1f]", scale*f.Low, scale*f.High)
	}
	switch {
	case !ok:
		return measure.Measure{Name: name, Keys: k, Unit: measure.Share}
	case f.Number:
		return k.Count(name, f.Yes)
	case f.Currency != "":
		return k.Figure(name, measure.Money, f.Value).Saying(f.Currency).As("%.4f %s", f.Value, f.Currency)
	case f.Mean:
		m := rateMeasure(k, f.Rate, false).As("%.1f%s", f.Value, interval(1))
		m.Name, m.Unit = name, measure.Tokens
		return m
	}
	m := rateMeasure(k, f.Rate, false).As("%d of %d, %.1f%s", f.Yes, f.N, 100*f.Value, interval(100))
	m.Name = name
	return m
}

// legend explains the columns of the one table.
func (s *Score) legend() (notes []string) {
	for _, t := range score.Columns() {
		if slices.Contains(s.Columns, t.Name) {
			notes = append(notes, fmt.Sprintf("  %s: %s", t.Name, t.Text))
		}
	}
	return notes
}

// overflow shows the rates of trimmed prompts by degree of overflow.
func (s *Score) overflow() []measure.Table {
	if s.Overflow == nil {
		return nil
	}
	rates := measure.Table{Title: "Rates by overflow: k of n, % [95 % CI]", Pieces: true, Repeated: len(s.Overflow.By)}
	for _, key := range s.Overflow.By {
		rates.Columns = append(rates.Columns, measure.KeyCol(key, key))
	}
	for _, name := range score.OverflowRates() {
		rates.Columns = append(rates.Columns, measure.Col(strings.TrimSuffix(measure.Named(name), " rate"), name))
	}
	unsent := 0
	for i := range s.Overflow.Rows {
		r := &s.Overflow.Rows[i]
		unsent += r.NoReply
		for _, rate := range r.Rates {
			f := score.Figure{Rate: rate}
			rates.Add(figureMeasure(s.keys(s.Overflow.By, r.Key), rate.Name, f, rate.N > 0))
		}
	}
	rates.Notes = []string{
		"Overflow: tokens of the untrimmed prompt in % of the budget.",
		"Conflict: the first reply has the same id in two lists.",
	}
	rates.Notes.If(unsent > 0, "Without a reply, for example because no policy made the prompt fit: %s.",
		counted(unsent, "cell"))
	return []measure.Table{rates}
}

// prompts shows the sections of the recorded prompts, and what other policies would
// have sent.
func (v *scoreView) prompts() []measure.Table {
	unread, refused := 0, measure.Notes(nil)
	for i, g := range v.groups {
		if g.Prompts == nil {
			continue
		}
		unread += g.Prompts.Unread
		for _, t := range g.Prompts.Trimmed {
			refused.If(t.CannotFit.K > 0, "%s, %s: cannot fit %d of %d prompts.", measure.Label(v.keys[i], v.by...), t.Policy,
				t.CannotFit.K, t.CannotFit.N)
		}
	}
	if !slices.ContainsFunc(v.groups, func(g *score.Group) bool { return g.Prompts != nil && g.Prompts.Measured > 0 }) {
		return nil
	}
	sections := v.table("Prompt contents", []string{"section_tokens", "section_messages", "section_share"},
		measure.NCol("n", "section_tokens"), measure.KeyCol("section", "part"), measure.Col("messages", "section_messages"),
		measure.Col("tokens", "section_tokens"), measure.Col("share", "section_share"))
	sections.Notes = []string{"Counted with the program's tokenizer; endpoints may count differently."}
	sections.Notes.If(unread > 0, "The prompts of %s could not be read.", counted(unread, "call"))
	policy := measure.KeyCol("policy", "policy")
	size := v.table(fmt.Sprintf("Prompts (each counts once), trimmed to %s tokens", measure.Thousands(v.budget)),
		[]string{"histories", "over_before", "over_after", "tokens_kept"}, policy, measure.Col("prompts", "histories"),
		overBudget("after %", bare), measure.Col("tokens kept", "tokens_kept"))
	whole := v.table("Sections that trimming keeps whole", []string{"constraints_kept", "plan_kept", "safe"}, policy,
		measure.Col(measure.Rated("constraints"), "constraints_kept"), measure.Col(measure.Rated("plan"), "plan_kept"),
		measure.Col(measure.Rated("safe"), "safe"))
	if size.Measures == nil {
		return []measure.Table{sections}
	}
	size.Notes = refused
	whole.Notes = []string{
		"Rates over the prompts that have a section with this tag (--tag adds tags).",
		"Safe: within the budget, with constraints, plan and last user message whole, and no new orphan.",
	}
	return []measure.Table{sections, size, whole}
}

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
		{"fallback_rate", "What share of cells falls back to another rung?"},
		{"overflow_rate", "What share of prompts leaves no room within the budget?"},
	} {
		p := measure.Plot{Title: x.question, Note: "With 95 % intervals.", Rows: s.By}
		p.Measures = sampled(all, x.metric)
		list = append(list, p)
	}
	list = append(list, s.overflowPlots()...)
	list = append(list, measure.Plot{
		Title: "Why are first replies rejected?", Note: "Shares of the cells of a group, by code.", Rows: s.By,
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
			Title: "How does the " + measure.Named(name) + " depend on overflow?", Rows: s.Overflow.By,
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
