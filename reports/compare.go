package reports

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness/score"
	"replanbench/reports/style"
)

// Comparison is the section of two results side by side.
type Comparison struct {
	Base string `json:"base"` // names of what was compared
	New  string `json:"new"`
	score.Comparison
	// Changes are cases that were lost and gained, with a reply of either side.
	Changes []score.Change `json:"changes,omitempty"`
}

func (c *Comparison) blocks() []block {
	blocks := c.tables()
	notes := c.legend()
	notes = append(notes, damaged(c.Base+": ", c.BaseDamaged)...)
	notes = append(notes, damaged(c.New+": ", c.NewDamaged)...)
	for _, r := range c.Rows {
		if r.Verdict == score.TooFew && r.More() > 0 {
			notes = append(notes, fmt.Sprintf("  %s: %d more cases needed%s", c.label(r), r.More(), detectable(r)))
		}
	}
	for _, key := range c.Unmatched {
		notes = append(notes, "only on one side: "+strings.Join(key, ", "))
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

// legend says how the tables are to be read.
func (c *Comparison) legend() []string {
	notes := []string{"Rates in %, every case counting once."}
	bare := 0
	for _, r := range c.Rows {
		if r.Bare {
			bare++
		}
	}
	if bare < len(c.Rows) || bare == 0 {
		notes = append(notes, correction(c.Questions),
			fmt.Sprintf("None shown: a difference of %.3g points is ruled out. Too few: it may be there.", 100*c.Detect))
	}
	if bare > 0 {
		notes = append(notes, "No sample: documented replies were written by hand, so that nothing is tested.")
	}
	return notes
}

// confusions show how cases ended before, by rows, and after, by columns. Outcomes that
// never came are left out.
func (c *Comparison) confusions() []block {
	var blocks []block
	for _, x := range c.Confusions {
		t := &table{title: strings.Join(append([]string{"How cases ended, " + c.Base + " (rows) → " + c.New}, x.Key...), ", "), columns: []column{{name: "before"}}}
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

// correction says what the p-values were corrected for.
func correction(questions int) string {
	if questions == 0 {
		return "Too few cases changed for any answer, so nothing was tested."
	}
	return fmt.Sprintf("p is corrected for %d questions (Holm).", questions)
}

// tables makes a table of each group, whose rows stand together.
func (c *Comparison) tables() []block {
	var blocks []block
	for i, r := range c.Rows {
		if i == 0 || !slices.Equal(r.Key, c.Rows[i-1].Key) {
			difference := "difference [95 % CI]"
			if r.Bare {
				difference = "difference"
			}
			t := &table{title: strings.Join(append([]string{c.Base + " → " + c.New}, r.Key...), ", "), columns: []column{
				{name: "metric"}, {"pairs", true}, {"was → is", true}, {difference, true}, {"p", true}, {name: "verdict"},
			}}
			blocks = append(blocks, block{table: t})
		}
		t := blocks[len(blocks)-1].table
		t.rows = append(t.rows, c.row(r))
	}
	return blocks
}

// detectable says what the pairs at hand could have shown.
func detectable(r score.Row) string {
	if r.Detectable == 0 {
		return ""
	}
	if isMean(r.Metric) {
		return fmt.Sprintf("; these show %.1f tokens or more", r.Detectable)
	}
	return fmt.Sprintf("; these show %.1f points or more", 100*r.Detectable)
}

// isMean reports whether a metric counts tokens and is no share.
func isMean(metric string) bool { return strings.HasSuffix(metric, "_tokens") }

// spreadKnown reports whether there is an interval: a single pair tells nothing
// of how much counts of tokens vary.
func spreadKnown(r score.Row) bool { return !isMean(r.Metric) || r.Pairs > 1 }

func (c *Comparison) label(r score.Row) string {
	return strings.Join(append(r.Key[:len(r.Key):len(r.Key)], words(r.Metric)), ", ")
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

// shortVerdict is the verdict as a column has room for it.
func shortVerdict(v score.Verdict) string {
	if v == score.NoDifference {
		return "none shown"
	}
	return string(v)
}

func verdictTone(v score.Verdict) style.Tone {
	return map[score.Verdict]style.Tone{score.Better: style.Good, score.Worse: style.Bad, score.TooFew: style.Doubtful}[v]
}

// flips names cases that became worse: all that are known where the metric
// did, else a few.
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

// line is the section in a few words.
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
	return fmt.Sprintf("%d questions: %s", len(c.Rows), strings.Join(parts, ", "))
}

// AddComparison adds the section; a metric that became worse fails the gate.
func (r *Report) AddComparison(c Comparison, reproduce string) {
	r.Comparison = &c
	for _, row := range c.Rows {
		if row.Verdict == score.Worse {
			r.Failures = append(r.Failures, Failure{
				Suite: "compare", ID: strings.Join(append(row.Key[:len(row.Key):len(row.Key)], row.Metric), " · "), Status: "fail",
				Title:     fmt.Sprintf("%s became worse: %.4f → %.4f (p %.2g)", row.Metric, row.Base, row.New, row.Corrected),
				Reproduce: reproduce,
			})
		}
	}
}
