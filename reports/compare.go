package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness/document/style"
	"replanbench/harness/score"
)

// Comparison is the section of two results side by side.
type Comparison struct {
	Base string `json:"base"` // name of the baseline
	New  string `json:"new"`
	score.Comparison
	// Changes are the cases that were lost and gained, with a reply of each side.
	Changes []score.Change `json:"changes,omitempty"`
}

func (c *Comparison) blocks() []block {
	blocks := c.tables()
	notes := c.legend()
	notes = append(notes, damaged(c.Base+": ", c.BaseDamaged)...)
	notes = append(notes, damaged(c.New+": ", c.NewDamaged)...)
	for _, r := range c.Rows {
		if r.Verdict == score.TooFew && r.More() > 0 {
			notes = append(notes, "  "+c.label(r)+": "+c.needed(r))
		}
	}
	for _, key := range c.Unmatched {
		notes = append(notes, "Only in one of the results: "+strings.Join(key, ", "))
	}
	if len(blocks) == 0 {
		blocks = []block{{title: c.Base + " → " + c.New}}
	}
	blocks[len(blocks)-1].notes = notes
	blocks = append(blocks, c.confusions()...)
	if flips := c.flips(); flips != nil {
		blocks = append(blocks, block{title: "Cases that became worse", notes: flips})
	}
	return blocks
}

// legend returns the notes that explain the tables.
func (c *Comparison) legend() []string {
	notes := []string{"Rates in %; each case counts once."}
	bare := 0
	for _, r := range c.Rows {
		if r.Bare {
			bare++
		}
	}
	if bare < len(c.Rows) || bare == 0 {
		notes = append(notes, correction(c.Questions, len(c.Rows)-bare),
			fmt.Sprintf("None shown: a difference of %.3g points or more is ruled out. Too few: such a difference is still "+
				"possible.", 100*c.Detect))
	}
	if bare > 0 {
		notes = append(notes, "No sample: documented replies are written by hand, so nothing is tested.")
	}
	return notes
}

// confusions returns tables of the outcomes of cases: before in rows, after in columns.
// They omit outcomes that no case has.
func (c *Comparison) confusions() []block {
	var blocks []block
	for _, x := range c.Confusions {
		t := &table{
			title:   keyed(append([]string{"Outcomes by case, " + c.Base + " (rows) → " + c.New + " (columns)"}, x.Key...)...),
			columns: []column{{name: "before"}},
		}
		met := func(i int) bool {
			for j := range x.Cells {
				if x.Cells[i][j]+x.Cells[j][i] > 0 {
					return true
				}
			}
			return false
		}
		for i, from := range x.Outcomes {
			if !met(i) {
				continue
			}
			t.columns = append(t.columns, column{from, true})
			row := []cell{text(from)}
			for j := range x.Outcomes {
				switch n := x.Cells[i][j]; {
				case !met(j):
				case n == 0 || i == j:
					row = append(row, cell{fmt.Sprint(n), style.Faint})
				case j < i:
					row = append(row, cell{fmt.Sprint(n), style.Good})
				default:
					row = append(row, cell{fmt.Sprint(n), style.Bad})
				}
			}
			t.rows = append(t.rows, row)
		}
		blocks = append(blocks, block{table: t})
	}
	return blocks
}

// correction says for how many tests the p-values of the rows are corrected.
func correction(tests, rows int) string {
	if tests == 0 {
		return "Too few cases changed, so nothing was tested."
	}
	note := "p is Holm-corrected for " + counted(tests, "test") + "."
	if tests < rows {
		note = strings.TrimSuffix(note, ".") + " (the other rows repeat a test, or too few of their cases changed)."
	}
	return note
}

// tables returns a table for each group. The rows of a group are adjacent.
func (c *Comparison) tables() []block {
	var blocks []block
	for i, r := range c.Rows {
		if i == 0 || !slices.Equal(r.Key, c.Rows[i-1].Key) {
			difference := "difference [95 % CI]"
			if r.Bare {
				difference = "difference"
			}
			t := &table{title: keyed(append([]string{c.Base + " → " + c.New}, r.Key...)...), columns: []column{
				{name: "metric"}, {"pairs", true}, {"was → is", true}, {difference, true}, {"p", true}, {name: "verdict"},
			}}
			blocks = append(blocks, block{table: t})
		}
		t := blocks[len(blocks)-1].table
		t.rows = append(t.rows, c.row(r))
	}
	return blocks
}

// needed says which difference the cases can detect, and how many more cases detect the
// difference of interest.
func (c *Comparison) needed(r score.Row) string {
	size := func(difference float64) string {
		if isMean(r.Metric) {
			return fmt.Sprintf("%.1f tokens", difference)
		}
		return fmt.Sprintf("%.3g points", 100*difference)
	}
	interest := c.Detect
	if isMean(r.Metric) {
		interest *= r.Base
	}
	more := "needs " + counted(r.More(), "more case")
	switch {
	case r.Detectable == 0:
		return "detecting " + size(interest) + " " + more
	case r.Detectable <= interest: // the difference seen is the obstacle
		return "deciding between no difference and " + size(interest) + " " + more
	}
	return fmt.Sprintf("%s can detect a difference of %s or more (power 80 %%); detecting %s %s",
		counted(r.Pairs, "case"), size(r.Detectable), size(interest), more)
}

// isMean reports whether a metric is a mean number of tokens.
func isMean(metric string) bool { return strings.HasSuffix(metric, "_tokens") }

// spreadKnown reports whether the row has an interval. The spread of a mean is unknown
// with a single pair.
func spreadKnown(r score.Row) bool { return !isMean(r.Metric) || r.Pairs > 1 }

func (c *Comparison) label(r score.Row) string {
	return keyed(append(slices.Clip(r.Key), words(r.Metric))...)
}

// keyed joins values of a group; an empty value is "–".
func keyed(values ...string) string {
	shown := make([]string, len(values))
	for i, v := range values {
		shown[i] = cmp.Or(v, "–")
	}
	return strings.Join(shown, ", ")
}

func (c *Comparison) row(r score.Row) []cell {
	scale := 100.0
	if isMean(r.Metric) {
		scale = 1
	}
	p := "<0.001"
	switch {
	case r.Bare:
		p = "–"
	case r.Corrected >= 0.001:
		p = fmt.Sprintf("%.3f", r.Corrected)
	}
	interval := fmt.Sprintf("%+.1f [%+.1f, %+.1f]", scale*r.Difference, scale*r.Low, scale*r.High)
	switch {
	case r.Bare:
		interval = fmt.Sprintf("%+.1f", scale*r.Difference)
	case !spreadKnown(r):
		interval = fmt.Sprintf("%+.1f [unknown]", scale*r.Difference)
	}
	return []cell{
		text(strings.Replace(words(r.Metric), " rate", "", 1)), number(r.Pairs),
		text(fmt.Sprintf("%.1f → %.1f", scale*r.Base, scale*r.New)),
		text(interval),
		text(p),
		{shortVerdict(r.Verdict), verdictTone(r.Verdict)},
	}
}

// shortVerdict returns a verdict that fits into a column.
func shortVerdict(v score.Verdict) string {
	if v == score.NoDifference {
		return "none shown"
	}
	return string(v)
}

func verdictTone(v score.Verdict) style.Tone {
	return map[score.Verdict]style.Tone{score.Better: style.Good, score.Worse: style.Bad, score.TooFew: style.Doubtful}[v]
}

// flips names the cases that became worse: all known ones if the metric became worse,
// and at most five otherwise.
func (c *Comparison) flips() []string {
	const few = 5
	var lines []string
	for _, r := range c.Rows {
		names := r.Flipped
		if r.Verdict != score.Worse {
			names = names[:min(few, len(names))]
		}
		if len(names) == 0 {
			continue
		}
		line := c.label(r) + ": " + strings.Join(names, ", ")
		if n := r.Worsened - len(names); n > 0 {
			line += fmt.Sprintf(" and %d more", n)
		}
		lines = append(lines, line)
	}
	return lines
}

// line summarizes the section.
func (c *Comparison) line() string {
	counts := map[score.Verdict]int{}
	for _, r := range c.Rows {
		counts[r.Verdict]++
	}
	var parts []string
	for _, v := range []score.Verdict{score.Better, score.Worse, score.NoDifference, score.TooFew, score.NoSample} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	return counted(len(c.Rows), "comparison") + ": " + strings.Join(parts, ", ")
}

// AddComparison adds the section. A metric that became worse fails the gate.
func (r *Report) AddComparison(c Comparison, reproduce string) {
	r.Comparison = &c
	for _, row := range c.Rows {
		if row.Verdict == score.Worse {
			r.Failures = append(r.Failures, Failure{
				Suite: "compare", ID: strings.Join(append(slices.Clip(row.Key), row.Metric), " · "), Status: "fail",
				Title:     fmt.Sprintf("%s became worse: %.4f → %.4f (p %.2g)", row.Metric, row.Base, row.New, row.Corrected),
				Reproduce: reproduce,
			})
		}
	}
}
