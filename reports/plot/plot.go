// Package plot draws measures as rows of marks on one axis. A page shows them without a
// script.
package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"replanbench/harness/document/style"
	"replanbench/reports/measure"
)

// Drawing is a plot: a table of rows, each with marks and with its figures in words.
type Drawing struct {
	Title, Note string
	Ticks       []Tick
	Key         []Name
	Rows        []Row
	Left        int // rows that the plot omits
}

// Tick is a label at a place of the axis.
type Tick struct{ At, Text string }

// Name says what a mark means.
type Name struct{ Class, Name string }

// Row is one row of marks.
type Row struct {
	Name, Text, Tone string
	Marks            []Mark
}

// Mark is a mark on the axis. From and Wide are shares of its length in percent.
type Mark struct{ Class, From, Wide string }

// most is how many rows a plot has at most. The tables contain all rows.
const most = 60

// Draw draws a plot; nil without rows.
func Draw(p *measure.Plot) *Drawing {
	rows := group(p)
	if len(rows) == 0 {
		return nil
	}
	names := classes(p)
	a := axisOf(p, rows)
	d := &Drawing{Title: p.Title, Note: p.Note, Ticks: a.ticks(), Left: max(0, len(rows)-most)}
	if p.Bars || len(names) > 1 {
		d.Key = names
	}
	if p.Rest != "" {
		d.Key = append(d.Key, Name{"rest", p.Rest})
	}
	if p.LineName != "" {
		d.Key = append(d.Key, Name{"line", p.LineName})
	}
	for _, row := range rows[:len(rows)-d.Left] {
		r := Row{Name: measure.Label(row[0].Keys, p.Rows...)}
		if p.Bars {
			r.stack(p, a, row, names)
		} else {
			r.dots(p, a, row, names)
		}
		if p.Line != nil {
			r.Marks = slices.Insert(r.Marks, 0, a.mark("line", *p.Line, *p.Line))
		}
		d.Rows = append(d.Rows, r)
	}
	return d
}

func group(p *measure.Plot) (rows [][]measure.Measure) {
	places := map[string]int{}
	for _, m := range p.Measures {
		if m.Value == nil {
			continue
		}
		name := measure.Label(m.Keys, p.Rows...) + "\x00" + m.Keys.Get("place")
		if _, ok := places[name]; !ok {
			places[name] = len(rows)
			rows = append(rows, nil)
		}
		rows[places[name]] = append(rows[places[name]], m)
	}
	return rows
}

// classes returns the names of the marks with their colours: the tone of a measure, or
// one of eleven colours by falling size.
func classes(p *measure.Plot) (list []Name) {
	size, tones, names := map[string]int64{}, map[string]style.Tone{}, slices.Clone(p.Names)
	for _, m := range p.Measures {
		name := p.Mark(&m)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if m.K != nil {
			size[name] += *m.K
		}
		tones[name] = m.Tone
	}
	if p.Marks != "" && p.Names == nil {
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	}
	for i, name := range names {
		class := fmt.Sprintf("c%d", i%11)
		if p.Marks == "" && p.Bars {
			class = cmp.Or(toned(tones[name]), class)
		}
		list = append(list, Name{class, name})
	}
	return list
}

func toned(t style.Tone) string {
	return map[style.Tone]string{style.Good: "good", style.Bad: "bad", style.Faint: "rest"}[t]
}

func classOf(names []Name, name string) string {
	i := slices.IndexFunc(names, func(n Name) bool { return n.Name == name })
	return names[i].Class
}

// dots adds a dot with its interval for each measure.
func (r *Row) dots(p *measure.Plot, a axis, row []measure.Measure, names []Name) {
	var texts []string
	for i := range row {
		m := &row[i]
		class, value := classOf(names, p.Mark(m)), *m.Value
		if m.Unit == measure.Difference {
			r.Tone = toned(m.Tone)
			class = cmp.Or(r.Tone, "soft")
		}
		if m.Low != nil {
			r.Marks = append(r.Marks, a.mark("interval", *m.Low, *m.High))
		}
		r.Marks = append(r.Marks, a.mark("dot "+class, value, value))
		texts = append(texts, figure(m))
	}
	r.Text = strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), " · ")
}

// figure returns a figure in words.
func figure(m *measure.Measure) string {
	if m.Unit != measure.Share {
		return m.Shown
	}
	text := percent(*m.Value)
	if m.Low != nil {
		text += fmt.Sprintf(" [%.1f–%.1f]", 100**m.Low, 100**m.High)
	}
	if _, n := m.Whole(); n > 0 {
		text += fmt.Sprintf(" of %d", n)
	}
	return text
}

// stack adds a bar with the parts of a whole. The words name the largest parts.
func (r *Row) stack(p *measure.Plot, a axis, row []measure.Measure, names []Name) {
	from := 0.0
	slices.SortStableFunc(row, func(x, y measure.Measure) int {
		at := func(m *measure.Measure) int {
			return slices.IndexFunc(names, func(n Name) bool { return n.Name == p.Mark(m) })
		}
		return at(&x) - at(&y)
	})
	for i := range row {
		m := &row[i]
		r.Marks = append(r.Marks, a.mark("bar "+classOf(names, p.Mark(m)), from, from+*m.Value))
		from += *m.Value
	}
	if p.Rest != "" {
		r.Marks = append(r.Marks, a.mark("bar rest", from, 1))
	}
	if m := &row[0]; m.Low != nil && m.Unit == measure.Share {
		r.Marks = append(r.Marks, a.mark("interval", *m.Low, *m.High))
	}
	const named = 3
	largest := slices.Clone(row)
	if len(row) > named {
		slices.SortStableFunc(largest, func(a, b measure.Measure) int { return cmp.Compare(*b.Value, *a.Value) })
	}
	var texts []string
	for i := range largest[:min(named, len(largest))] {
		m := &largest[i]
		switch k, _ := m.Whole(); {
		case m.Unit != measure.Share:
			texts = append(texts, fmt.Sprintf("%s %d", p.Mark(m), k))
		case k > 0:
			texts = append(texts, p.Mark(m)+" "+strings.ReplaceAll(percent(*m.Value), " ", "\u00a0"))
		}
	}
	if r.Text = strings.Join(texts, ", "); p.Rest != "" {
		r.Text = percent(from) + " kept"
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// axis is the range of figures that a plot shows.
type axis struct {
	low, high float64
	tick      func(float64) string
}

// axisOf returns an axis with round numbers that fits the measures.
func axisOf(p *measure.Plot, rows [][]measure.Measure) axis {
	least, largest := math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		sum := 0.0
		for _, m := range row {
			sum += *m.Value
			low, high := *m.Value, *m.Value
			if m.Low != nil {
				low, high = *m.Low, *m.High
			}
			if p.Bars {
				low, high = 0, sum
			}
			least, largest = min(least, low), max(largest, high)
		}
	}
	if p.Line != nil {
		least, largest = min(least, *p.Line), max(largest, *p.Line)
	}
	switch unit := rows[0][0].Unit; {
	case unit == measure.Difference:
		end := upTo(max(0.01, -least, largest))
		return axis{-end, end, func(x float64) string { return strings.Replace(fmt.Sprintf("%+.3g", 100*x), "+0", "0", 1) }}
	case unit != measure.Share:
		return axis{0, upTo(max(largest, 4)), func(x float64) string { return measure.Thousands(int(x)) }}
	}
	a := axis{0, 1, func(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }}
	if p.Bars {
		return a
	}
	if largest > 0 && largest <= 0.4 {
		a.high = upTo(largest)
	}
	for _, low := range []float64{0.2, 0.4, 0.6, 0.8, 0.9, 0.96} {
		if low <= least && a.high == 1 {
			a.low = low
		}
	}
	return a
}

// ticks returns four equal intervals.
func (a axis) ticks() (list []Tick) {
	for i := range 5 {
		list = append(list, Tick{css(25 * float64(i)), a.tick(a.low + (a.high-a.low)*float64(i)/4)})
	}
	return list
}

func (a axis) at(x float64) float64 { return 100 * min(1, max(0, (x-a.low)/(a.high-a.low))) }

func (a axis) mark(class string, from, to float64) Mark {
	return Mark{class, css(a.at(from)), css(a.at(to) - a.at(from))}
}

func css(percent float64) string { return fmt.Sprintf("%.2f%%", percent) }

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
