package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"replanbench/harness/score"
)

// overflow shows the rates of trimmed prompts by degree of overflow.
func (s *Score) overflow() []block {
	if s.Overflow == nil {
		return nil
	}
	rates := &table{
		title: "Rates by overflow: k of n, % [95 % CI]", pieces: true, repeated: len(s.Overflow.By),
	}
	bars := &table{title: "Rates by overflow, as bars"}
	for _, key := range s.Overflow.By {
		rates.columns = append(rates.columns, column{name: key})
		bars.columns = append(bars.columns, column{name: key})
	}
	for _, name := range score.OverflowRates() {
		short := strings.TrimSuffix(words(name), " rate")
		rates.columns, bars.columns = append(rates.columns, column{short, true}), append(bars.columns, column{name: short})
	}
	unsent := 0
	for i := range s.Overflow.Rows {
		r := &s.Overflow.Rows[i]
		unsent += r.NoReply
		var keys []cell
		for _, k := range r.Key {
			keys = append(keys, text(cmp.Or(k, "–")))
		}
		row, bar := slices.Clone(keys), slices.Clone(keys)
		for _, rate := range r.Rates {
			row, bar = append(row, figureCell(score.Figure{Rate: rate}, rate.N > 0)), append(bar, rateBar(rate))
		}
		rates.rows, bars.rows = append(rates.rows, row), append(bars.rows, bar)
	}
	notes := []string{
		"Overflow: tokens of the untrimmed prompt in % of the budget.",
		"Conflict: the first reply has the same id in two lists.",
	}
	if unsent > 0 {
		notes = append(notes, "Without a reply, for example because no policy made the prompt fit: "+counted(unsent,
			"request")+".")
	}
	return []block{{table: rates, notes: notes}, {table: bars}}
}

// rateBar draws a rate with ten blocks.
func rateBar(r score.Rate) cell {
	const blocks = 10
	full := int(math.Round(blocks * r.Value))
	return textIf(r.N > 0, "%s", strings.Repeat("█", full)+strings.Repeat("░", blocks-full))
}

// overflowPlots returns a plot of each rate by degree of overflow.
func (s *Score) overflowPlots() (list []plot) {
	if s.Overflow == nil {
		return nil
	}
	for _, name := range score.OverflowRates() {
		var rows []dotted
		for i := range s.Overflow.Rows {
			r := &s.Overflow.Rows[i]
			if rate := r.Rate(name); rate.N > 0 && !rate.Bare {
				d := dot{rate.Value, rate.Low, rate.High}
				rows = append(rows, dotted{label(slices.Clone(r.Key)), fmt.Sprintf("%s of %d", d, rate.N), map[string]dot{"c0": d}})
			}
		}
		list = append(list, dots("How does the "+words(name)+" depend on overflow?",
			"By policy and by tokens of the untrimmed prompt in % of the budget; with 95 % intervals.", rows)...)
	}
	return list
}
