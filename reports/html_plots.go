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
	"replanbench/harness/stats"
)

// plot is a picture that answers the question of its title: a table of rows, each
// with marks on one axis and with its figures in words. The page draws it without a
// script.
type plot struct {
	Title, Note string
	Ticks       []plotTick
	Key         []plotKey
	Rows        []plotRow
	Left        int // rows that are not shown
}

type plotTick struct{ At, Text string }

// plotKey says what a mark means.
type plotKey struct{ Class, Name string }

type plotRow struct {
	Name, Text, Tone string
	Marks            []plotMark
}

// plotMark stands on the axis; From and Wide are shares of its length in percent.
type plotMark struct{ Class, From, Wide string }

// plotted is how many rows a picture has at most; the tables hold them all.
const plotted = 60

// axis is the stretch of figures that a plot shows.
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

// new begins a plot: the ticks part the axis in four.
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

// shares is an axis of shares that begins and ends where the ticks are round.
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

// shown keeps as many rows as a plot has; without any there is none.
func (p plot) shown() []plot {
	if len(p.Rows) == 0 {
		return nil
	}
	p.Left = max(0, len(p.Rows)-plotted)
	p.Rows = p.Rows[:len(p.Rows)-p.Left]
	p.Title, p.Note = harmless(p.Title), harmless(p.Note)
	for i := range p.Key {
		p.Key[i].Name = harmless(p.Key[i].Name)
	}
	for i := range p.Rows {
		p.Rows[i].Name, p.Rows[i].Text = harmless(p.Rows[i].Name), harmless(p.Rows[i].Text)
	}
	return []plot{p}
}

// plots of a league are one: scenarios and generated cases of every engine.
func (l *League) plots() []plot {
	var dots []dot
	each := func(do func(engine string, c LeagueCell)) {
		for _, row := range l.Engines {
			for _, c := range row.Dialects {
				do(row.Engine, c)
			}
		}
	}
	each(func(_ string, c LeagueCell) {
		for _, x := range leagueSides() {
			if k, n := x.of(c); n > 0 {
				dots = append(dots, wilson(k, n))
			}
		}
	})
	a := shares(dots...)
	p := a.new("Which engine is right most often?", "With 95 % intervals; the best engine stands first.")
	each(func(engine string, c LeagueCell) {
		row := plotRow{Name: engine + ", " + c.Dialect}
		var texts []string
		for i, x := range leagueSides() {
			k, n := x.of(c)
			if n == 0 {
				continue
			}
			class := fmt.Sprintf("c%d", i)
			if key := (plotKey{class, x.title}); !slices.Contains(p.Key, key) {
				p.Key = append(p.Key, key)
			}
			row.Marks = append(row.Marks, wilson(k, n).on(a, class)...)
			texts = append(texts, percent(k, n))
		}
		if row.Text = strings.Join(texts, " · "); texts != nil {
			p.Rows = append(p.Rows, row)
		}
	})
	return p.shown()
}

func (s *Score) plots() (list []plot) {
	for _, x := range []struct{ metric, question string }{
		{"parse_rate", "What share of first replies can be read?"},
		{"apply_rate", "What share of first replies is applied?"},
		{"fallback_rate", "What share of requests falls back to another rung?"},
		{"overflow_rate", "What share of prompts leaves no room within the budget?"},
	} {
		list = append(list, s.rates(x.metric, x.question)...)
	}
	return append(append(list, s.refusals()...), s.budget()...)
}

// named calls with each group and its name.
func (s *Score) named(do func(name string, g *score.Group)) {
	for i := range s.Groups {
		do(label(slices.Clone(s.Groups[i].Key)), &s.Groups[i])
	}
}

func (s *Score) rates(metric, question string) []plot {
	var names []string
	var rates []score.Rate
	var dots []dot
	s.named(func(name string, g *score.Group) {
		if r, _ := g.Rate(metric); r.N > 0 && !r.Bare {
			names, rates, dots = append(names, name), append(rates, r), append(dots, dot{r.Value, r.Low, r.High})
		}
	})
	a := shares(dots...)
	p := a.new(question, "With 95 % intervals.")
	for i, d := range dots {
		p.Rows = append(p.Rows, plotRow{Name: names[i], Marks: d.on(a, "c0"), Text: fmt.Sprintf("%s of %d", d, rates[i].N)})
	}
	return p.shown()
}

// slice is a part of a bar.
type slice struct {
	name string
	n    int
}

// stack draws parts of a whole as a bar; each name has its colour in all bars. The
// words tell the largest parts.
func stack(p *plot, a axis, name string, whole int, parts []slice, colours []plotKey) {
	row := plotRow{Name: name}
	from := 0.0
	for _, x := range parts {
		i := slices.IndexFunc(colours, func(k plotKey) bool { return k.Name == x.name })
		to := from + float64(x.n)/float64(whole)
		row.Marks = append(row.Marks, a.mark("bar "+colours[i].Class, from, to))
		from = to
	}
	const told = 3
	largest := slices.Clone(parts)
	if len(parts) > told {
		slices.SortStableFunc(largest, func(a, b slice) int { return cmp.Compare(b.n, a.n) })
	}
	var texts []string
	for _, x := range largest[:min(told, len(largest))] {
		if x.n > 0 {
			texts = append(texts, x.name+" "+strings.ReplaceAll(percent(x.n, whole), " ", "\u00a0"))
		}
	}
	row.Text = strings.Join(texts, ", ")
	p.Rows = append(p.Rows, row)
}

// coloured gives each name a colour, and what is said to be the rest a faint one.
func coloured(names []string, rest string) (list []plotKey) {
	for _, name := range names {
		class := fmt.Sprintf("c%d", len(list)%10)
		if name == rest {
			class = "rest"
		}
		list = append(list, plotKey{class, name})
	}
	return list
}

// refusals say why first replies were refused, as shares of those that were asked
// for.
func (s *Score) refusals() []plot {
	by := map[string]int{}
	s.named(func(_ string, g *score.Group) {
		for _, f := range g.Failures {
			by[string(f.Code)] += f.N
		}
	})
	codes := sortedNames(by)
	a := shares(dot{})
	p := a.new("Why are first replies refused?", "Shares of the requests of a group, by code.")
	p.Key = coloured(codes, "")
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

// sortedNames begins with the largest.
func sortedNames(by map[string]int) []string {
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
}

// budget sets tokens beside the budget.
func (s *Score) budget() []plot {
	if s.Budget == 0 {
		return nil
	}
	most := float64(s.Budget)
	s.named(func(_ string, g *score.Group) { most = max(most, float64(g.Tokens.Total.Max)) })
	a := axis{0, upTo(most), func(x float64) string { return thousands(int(x)) }}
	p := a.new(fmt.Sprintf("Do prompt and reply fit the budget of %s tokens?", thousands(s.Budget)), "From the middle to the 95th percentile, and the largest; the line is the budget.")
	p.Key = []plotKey{{"c0", "p50"}, {"c1", "most"}, {"line", "budget"}}
	s.named(func(name string, g *score.Group) {
		if t := g.Tokens.Total; t.N > 0 {
			row := plotRow{Name: name, Text: fmt.Sprintf("%s / %s / %s", thousands(t.P50), thousands(t.P95), thousands(t.Max))}
			row.Marks = append(dot{float64(t.P50), float64(t.P50), float64(t.P95)}.on(a, "c0"), a.mark("dot c1", float64(t.Max), float64(t.Max)), a.mark("line", float64(s.Budget), float64(s.Budget)))
			p.Rows = append(p.Rows, row)
		}
	})
	return p.shown()
}

// upTo is the first round number from x on that four ticks part evenly.
func upTo(x float64) float64 {
	for unit := math.Pow(10, math.Floor(math.Log10(max(x, 1e-9)))); ; unit *= 10 {
		for _, n := range []float64{1, 2, 4, 6, 8, 10} {
			if n*unit >= x {
				return n * unit
			}
		}
	}
}

// plots are one: the differences of rates, with no difference as a line.
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
	p := a.new("What changed from "+c.Base+" to "+c.New+"?", "Differences in points with 95 % intervals; right of the line a rate is higher.")
	tones := map[score.Verdict]string{score.Better: "good", score.Worse: "bad"}
	for _, row := range rows {
		d := dot{row.Difference, row.Low, row.High}
		p.Rows = append(p.Rows, plotRow{
			Name: strings.TrimSuffix(words(row.Metric)+" · "+label(slices.Clone(row.Key)), " · all"), Text: fmt.Sprintf("%+.1f, %s", 100*row.Difference, shortVerdict(row.Verdict)), Tone: tones[row.Verdict],
			Marks: append([]plotMark{a.mark("line", 0, 0)}, d.on(a, cmp.Or(tones[row.Verdict], "soft"))...),
		})
	}
	return p.shown()
}

// comparisons are none where there was no run.
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

// plots show what came of the replies of each protocol.
func (p *Protocols) plots() []plot {
	a := shares(dot{})
	fate := a.new("Which protocol loses least on the way?", "Shares of the replies, with the 95 % interval of the right ones.")
	fate.Key = []plotKey{{"good", "right"}, {"rest", "refused"}, {"bad", "silently wrong"}}
	for _, r := range p.Rows {
		if r.Replies == 0 {
			continue
		}
		stack(&fate, a, r.Name, r.Replies, []slice{{"right", r.Right.K}, {"refused", r.Refused.K}, {"silently wrong", r.Wrong.K}}, fate.Key)
		row := &fate.Rows[len(fate.Rows)-1]
		row.Marks = append(row.Marks, a.mark("interval", r.Right.Low, r.Right.High))
	}
	return fate.shown()
}

// cutAway names the part of a bar that is gone.
const cutAway = "cut away"

// plots show what each policy keeps of a history, and how often all is well.
func (t *Trim) plots() (list []plot) {
	for _, s := range t.Single {
		var tallies []simulate.Tally
		for _, p := range s.Policies {
			tallies = append(tallies, p.Tally)
		}
		list = append(list, t.kept(s.Name, s.MaxTokens, tallies)...)
	}
	if t.Many == nil {
		return list
	}
	list = append(list, t.kept(t.Many.Name, 0, t.Many.Tallies)...)
	var dots []dot
	for _, x := range t.Many.Tallies {
		if x.Safe.N > 0 {
			dots = append(dots, wilson(x.Safe.K, x.Safe.N))
		}
	}
	a := shares(dots...)
	p := a.new("How often is trimming safe?", "Within the budget, with all that must stay; with 95 % intervals.")
	for _, x := range t.Many.Tallies {
		if x.Safe.N > 0 {
			d := wilson(x.Safe.K, x.Safe.N)
			p.Rows = append(p.Rows, plotRow{Name: x.Policy, Marks: d.on(a, "c0"), Text: d.String()})
		}
	}
	return append(list, p.shown()...)
}

// kept draws what is left by the tags of messages; a budget of 0 is one of each
// history.
func (t *Trim) kept(name string, budget int, tallies []simulate.Tally) []plot {
	a := shares(dot{})
	p := a.new("What does each policy keep? "+name, "Shares of the tokens before, by what the messages carry.")
	p.Key = coloured(t.tags(), "")
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

// tags are those of all histories, so that each has the same colour in all plots.
func (t *Trim) tags() []string {
	by := map[string]int{}
	add := func(x simulate.Tally) {
		for _, l := range x.Losses {
			by[tagName(l.Tag)] += l.TokensBefore
		}
	}
	for _, s := range t.Single {
		for _, p := range s.Policies {
			add(p.Tally)
		}
	}
	if t.Many != nil {
		for _, x := range t.Many.Tallies {
			add(x)
		}
	}
	return sortedNames(by)
}
