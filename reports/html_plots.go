package reports

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"replanbench/harness/history/simulate"
	"replanbench/harness/score"
	"replanbench/harness/score/stats"
)

// plot answers the question of its title: a table of rows, each with marks on one axis
// and with its figures in words. The page draws it without a script.
type plot struct {
	Title, Note string
	Ticks       []plotTick
	Key         []plotKey
	Rows        []plotRow
	Left        int // rows that the plot omits
}

type plotTick struct{ At, Text string }

// plotKey says what a mark means.
type plotKey struct{ Class, Name string }

type plotRow struct {
	Name, Text, Tone string
	Marks            []plotMark
}

// plotMark is a mark on the axis. From and Wide are shares of its length in percent.
type plotMark struct{ Class, From, Wide string }

// plotted is how many rows a plot has at most. The tables contain all rows.
const plotted = 60

// axis is the range of figures that a plot shows.
type axis struct {
	low, high float64
	tick      func(float64) string
}

func (a axis) at(x float64) float64 {
	return 100 * min(1, max(0, (x-a.low)/(a.high-a.low)))
}

func (a axis) mark(class string, from, to float64) plotMark {
	return plotMark{class, css(a.at(from)), css(a.at(to) - a.at(from))}
}

func css(percent float64) string { return fmt.Sprintf("%.2f%%", percent) }

// new begins a plot with four equal intervals on the axis.
func (a axis) new(title, note string) plot {
	p := plot{Title: title, Note: note}
	for i := range 5 {
		p.Ticks = append(p.Ticks, plotTick{css(25 * float64(i)), a.tick(a.low + (a.high-a.low)*float64(i)/4)})
	}
	return p
}

// dot is a figure with its interval.
type dot struct{ value, low, high float64 }

func wilson(k, n int) dot {
	low, high := stats.Wilson(k, n, confidence)
	return dot{float64(k) / float64(n), low, high}
}

func (d dot) String() string {
	return fmt.Sprintf("%.1f %% [%.1f–%.1f]", 100*d.value, 100*d.low, 100*d.high)
}

func (d dot) on(a axis, class string) []plotMark {
	return []plotMark{a.mark("interval", d.low, d.high), a.mark("dot "+class, d.value, d.value)}
}

// dotted is a row of shares. Dots of one class have the same meaning.
type dotted struct {
	name, text string
	dots       map[string]dot
}

// dots draws shares as dots on an axis that fits them.
func dots(title, note string, rows []dotted) []plot {
	var all []dot
	for _, row := range rows {
		all = slices.AppendSeq(all, maps.Values(row.dots))
	}
	a := shares(all...)
	p := a.new(title, note)
	for _, row := range rows {
		x := plotRow{Name: row.name, Text: row.text}
		for _, class := range slices.Sorted(maps.Keys(row.dots)) {
			x.Marks = append(x.Marks, row.dots[class].on(a, class)...)
		}
		p.Rows = append(p.Rows, x)
	}
	return p.shown()
}

// shares returns an axis for the dots, with round numbers at its ticks.
func shares(dots ...dot) axis {
	a := axis{0, 1, func(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }}
	least, most := 1.0, 0.0
	for _, d := range dots {
		least, most = min(least, d.low), max(most, d.high)
	}
	if most > 0 && most <= 0.4 {
		a.high = upTo(most)
	}
	for _, low := range []float64{0.2, 0.4, 0.6, 0.8, 0.9, 0.96} {
		if low <= least && a.high == 1 {
			a.low = low
		}
	}
	return a
}

// shown returns the plot with at most plotted rows, or none without rows.
func (p plot) shown() []plot {
	if len(p.Rows) == 0 {
		return nil
	}
	p.Left = max(0, len(p.Rows)-plotted)
	p.Rows = p.Rows[:len(p.Rows)-p.Left]
	return []plot{p}
}

// plots returns one plot: scenarios and generated cases of every engine.
func (l *League) plots() []plot {
	var rows []dotted
	for _, e := range l.Engines {
		for _, c := range e.Dialects {
			row := dotted{name: e.Engine + ", " + c.Dialect, dots: map[string]dot{}}
			for i, x := range leagueSides() {
				if k, n := x.of(c); n > 0 {
					row.dots[fmt.Sprintf("c%d", i)] = wilson(k, n)
					row.text = strings.TrimPrefix(row.text+" · "+percent(k, n), " · ")
				}
			}
			if len(row.dots) > 0 {
				rows = append(rows, row)
			}
		}
	}
	list := dots("Which engine is right most often?", "With 95 % intervals; best engine first.", rows)
	for i := range list {
		list[i].Key = []plotKey{{"c0", "scenarios"}, {"c1", "generated cases"}}
	}
	return list
}

func (s *Score) plots() (list []plot) {
	if s.Columns != nil {
		return nil // the one table contains the figures
	}
	for _, x := range []struct{ metric, question string }{
		{"parse_rate", "What share of first replies can be read?"},
		{"apply_rate", "What share of first replies is applied?"},
		{"fallback_rate", "What share of requests falls back to another rung?"},
		{"overflow_rate", "What share of prompts leaves no room within the budget?"},
	} {
		list = append(list, s.rates(x.metric, x.question)...)
	}
	list = append(list, s.overflowPlots()...)
	return append(append(list, s.refusals()...), s.budget()...)
}

// named calls with each group and its name.
func (s *Score) named(do func(name string, g *score.Group)) {
	for i := range s.Groups {
		do(label(slices.Clone(s.Groups[i].Key)), &s.Groups[i])
	}
}

func (s *Score) rates(metric, question string) []plot {
	var rows []dotted
	s.named(func(name string, g *score.Group) {
		if r, _ := g.Rate(metric); r.N > 0 && !r.Bare {
			d := dot{r.Value, r.Low, r.High}
			rows = append(rows, dotted{name, fmt.Sprintf("%s of %d", d, r.N), map[string]dot{"c0": d}})
		}
	})
	return dots(question, "With 95 % intervals.", rows)
}

// slice is a part of a bar.
type slice struct {
	name string
	n    int
}

// stack adds a bar with the parts of a whole. A name has one colour in all bars. The
// words name the largest parts.
func stack(p *plot, a axis, name string, whole int, parts []slice, colours []plotKey) {
	row := plotRow{Name: name}
	from := 0.0
	for _, x := range parts {
		i := slices.IndexFunc(colours, func(k plotKey) bool { return k.Name == x.name })
		to := from + float64(x.n)/float64(whole)
		row.Marks = append(row.Marks, a.mark("bar "+colours[i].Class, from, to))
		from = to
	}
	const named = 3
	largest := slices.Clone(parts)
	if len(parts) > named {
		slices.SortStableFunc(largest, func(a, b slice) int { return cmp.Compare(b.n, a.n) })
	}
	var texts []string
	for _, x := range largest[:min(named, len(largest))] {
		if x.n > 0 {
			texts = append(texts, x.name+" "+strings.ReplaceAll(percent(x.n, whole), " ", "\u00a0"))
		}
	}
	row.Text = strings.Join(texts, ", ")
	p.Rows = append(p.Rows, row)
}

// coloured returns a key with a colour for each name.
func coloured(names []string) (list []plotKey) {
	for i, name := range names {
		list = append(list, plotKey{fmt.Sprintf("c%d", i%10), name})
	}
	return list
}

// refusals returns a plot of the codes of rejected first replies, as shares of the requests.
func (s *Score) refusals() []plot {
	by := map[string]int{}
	s.named(func(_ string, g *score.Group) {
		for _, f := range g.Failures {
			by[string(f.Code)] += f.N
		}
	})
	codes := sortedNames(by)
	a := shares(dot{})
	p := a.new("Why are first replies rejected?", "Shares of the requests of a group, by code.")
	p.Key = coloured(codes)
	s.named(func(name string, g *score.Group) {
		var parts []slice
		for _, code := range codes {
			if i := slices.IndexFunc(g.Failures, func(f score.Failure) bool { return string(f.Code) == code }); i >= 0 {
				parts = append(parts, slice{code, g.Failures[i].N})
			}
		}
		if parts != nil {
			stack(&p, a, name, g.Requests, parts, p.Key)
		}
	})
	return p.shown()
}

// sortedNames returns the names by falling number.
func sortedNames(by map[string]int) []string {
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
}

// budget compares tokens with the budget.
func (s *Score) budget() []plot {
	if s.Budget == 0 {
		return nil
	}
	most := float64(s.Budget)
	s.named(func(_ string, g *score.Group) { most = max(most, float64(g.Tokens.Total.Max)) })
	a := axis{0, upTo(most), func(x float64) string { return thousands(int(x)) }}
	p := a.new(fmt.Sprintf("Do prompt and reply fit the budget of %s tokens?", thousands(s.Budget)),
		"From the median to the 95th percentile, and the maximum; the line is the budget.")
	p.Key = []plotKey{{"c0", "p50"}, {"c1", "most"}, {"line", "budget"}}
	s.named(func(name string, g *score.Group) {
		if t := g.Tokens.Total; t.N > 0 {
			row := plotRow{Name: name, Text: fmt.Sprintf("%s / %s / %s", thousands(t.P50), thousands(t.P95), thousands(t.Max))}
			p50, largest, budget := float64(t.P50), float64(t.Max), float64(s.Budget)
			row.Marks = append(dot{p50, p50, float64(t.P95)}.on(a, "c0"),
				a.mark("dot c1", largest, largest), a.mark("line", budget, budget))
			p.Rows = append(p.Rows, row)
		}
	})
	return p.shown()
}

// upTo returns the smallest round number from x on that four intervals divide evenly.
func upTo(x float64) float64 {
	for unit := math.Pow(10, math.Floor(math.Log10(max(x, 1e-9)))); ; unit *= 10 {
		for _, n := range []float64{1, 2, 4, 6, 8, 10} {
			if n*unit >= x {
				return n * unit
			}
		}
	}
}

// plots returns one plot: the differences of rates, with a line at no difference.
func (c *Comparison) plots() []plot {
	most := 0.01
	var rows []score.Row
	for _, row := range c.Rows {
		if !row.Bare && !isMean(row.Metric) {
			rows, most = append(rows, row), max(most, -row.Low, row.High)
		}
	}
	points := func(x float64) string { return strings.Replace(fmt.Sprintf("%+.3g", 100*x), "+0", "0", 1) }
	a := axis{-upTo(most), upTo(most), points}
	p := a.new("What changed from "+c.Base+" to "+c.New+"?",
		"Differences in points with 95 % intervals; right of the line a rate is higher.")
	tones := map[score.Verdict]string{score.Better: "good", score.Worse: "bad"}
	for _, row := range rows {
		d := dot{row.Difference, row.Low, row.High}
		p.Rows = append(p.Rows, plotRow{
			Name: strings.TrimSuffix(words(row.Metric)+" · "+label(slices.Clone(row.Key)), " · all"), Tone: tones[row.Verdict],
			Text:  fmt.Sprintf("%+.1f, %s", 100*row.Difference, shortVerdict(row.Verdict)),
			Marks: append([]plotMark{a.mark("line", 0, 0)}, d.on(a, cmp.Or(tones[row.Verdict], "soft"))...),
		})
	}
	return p.shown()
}

// comparisons returns the comparisons of a run, or none without a run.
func (l *Live) comparisons() (list []*Comparison) {
	if l != nil {
		for i := range l.Comparisons {
			list = append(list, &l.Comparisons[i])
		}
	}
	return list
}

func (l *Live) plots() (list []plot) {
	for _, c := range l.comparisons() {
		list = append(list, c.plots()...)
	}
	return list
}

// plots shows how many replies of each protocol are right, refused and silently wrong.
func (p *Protocols) plots() []plot {
	a := shares(dot{})
	fate := a.new("Which protocol loses least on the way?",
		"Shares of the replies, with the 95 % interval of the right ones.")
	fate.Key = []plotKey{{"good", "right"}, {"rest", "refused"}, {"bad", "silently wrong"}}
	for _, r := range p.Rows {
		if r.Replies == 0 {
			continue
		}
		parts := []slice{{"right", r.Right.K}, {"refused", r.Refused.K}, {"silently wrong", r.Wrong.K}}
		stack(&fate, a, r.Name, r.Replies, parts, fate.Key)
		row := &fate.Rows[len(fate.Rows)-1]
		row.Marks = append(row.Marks, a.mark("interval", r.Right.Low, r.Right.High))
	}
	return fate.shown()
}

// cutAway names the part of a bar that trimming removes.
const cutAway = "cut away"

// plots shows what each policy keeps of a history, and how often trimming is safe.
func (t *Trim) plots() (list []plot) {
	for _, s := range t.Single {
		list = append(list, t.kept(s.Name, s.MaxTokens, tallies(s))...)
	}
	if t.Many == nil {
		return list
	}
	list = append(list, t.kept(t.Many.Name, 0, t.Many.Tallies)...)
	var rows []dotted
	for _, x := range t.Many.Tallies {
		if x.Safe.N > 0 {
			d := wilson(x.Safe.K, x.Safe.N)
			rows = append(rows, dotted{x.Policy, d.String(), map[string]dot{"c0": d}})
		}
	}
	const note = "Within the budget, with all required messages; with 95 % intervals."
	return append(list, dots("How often is trimming safe?", note, rows)...)
}

// kept shows the remaining tokens by the tags of messages. With a budget of 0 each history
// has its own budget.
func (t *Trim) kept(name string, budget int, tallies []simulate.Tally) []plot {
	a := shares(dot{})
	p := a.new("What does each policy keep? "+name, "Shares of the original tokens, by tag of the messages.")
	p.Key = coloured(t.tags())
	p.Key = append(p.Key, plotKey{"rest", cutAway})
	if budget > 0 {
		p.Key = append(p.Key, plotKey{"line", "budget"})
	}
	for _, x := range tallies {
		var parts []slice
		before, after := 0, 0
		for _, l := range x.Losses {
			parts = append(parts, slice{tagName(l.Tag), l.TokensAfter})
			before, after = before+l.TokensBefore, after+l.TokensAfter
		}
		if before == 0 {
			continue
		}
		stack(&p, a, x.Policy, before, append(parts, slice{cutAway, before - after}), p.Key)
		row := &p.Rows[len(p.Rows)-1]
		row.Text = percent(after, before) + " kept"
		if at := float64(budget) / float64(before); budget > 0 {
			row.Marks = append(row.Marks, a.mark("line", at, at))
		}
	}
	return p.shown()
}

func tallies(s simulate.Single) (list []simulate.Tally) {
	for _, p := range s.Policies {
		list = append(list, p.Tally)
	}
	return list
}

// tags returns the tags of all histories, so that each has one colour in all plots.
func (t *Trim) tags() []string {
	var list []simulate.Tally
	for _, s := range t.Single {
		list = append(list, tallies(s)...)
	}
	if t.Many != nil {
		list = append(list, t.Many.Tallies...)
	}
	by := map[string]int{}
	for _, x := range list {
		for _, l := range x.Losses {
			by[tagName(l.Tag)] += l.TokensBefore
		}
	}
	return sortedNames(by)
}
