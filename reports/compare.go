package reports

import (
	"fmt"
	"strings"

	"replanbench/harness/score"
	"replanbench/reports/style"
)

// Comparison is the section of two results side by side.
type Comparison struct {
	Base string `json:"base"` // names of what was compared
	New  string `json:"new"`
	score.Comparison
}

func (c *Comparison) blocks() []block {
	t := table{title: fmt.Sprintf("%s → %s", c.Base, c.New)}
	for _, k := range c.By {
		t.columns = append(t.columns, column{name: k})
	}
	t.columns = append(t.columns, column{name: "metric"}, column{"pairs", true}, column{"base", true}, column{"new", true},
		column{"difference [95 % CI]", true}, column{"p", true}, column{name: "verdict"})
	var flips []string
	for _, r := range c.Rows {
		t.rows = append(t.rows, c.row(r))
		if len(r.Flipped) > 0 && r.Verdict != score.Better {
			flips = append(flips, flipped(r))
		}
	}
	notes := []string{
		fmt.Sprintf("Rates in %%, each case counting once. p is corrected for %d questions (Holm); too few: a difference of %.3g points could well have been missed.",
			c.Questions, 100*c.Detect),
	}
	for _, key := range c.Unmatched {
		notes = append(notes, "only on one side: "+strings.Join(key, ", "))
	}
	blocks := []block{{table: &t, notes: notes}}
	if flips != nil {
		blocks = append(blocks, block{title: "Cases that became worse", notes: flips})
	}
	return blocks
}

func (c *Comparison) row(r score.Row) []cell {
	var row []cell
	for _, k := range r.Key {
		row = append(row, text(k))
	}
	scale := 100.0
	if r.Metric == "reply_tokens" {
		scale = 1
	}
	verdict := cell{string(r.Verdict), style.Plain}
	switch r.Verdict {
	case score.Better:
		verdict.tone = style.Good
	case score.Worse:
		verdict.tone = style.Bad
	case score.TooFew:
		verdict.tone = style.Doubtful
		if more := r.More(); more > 0 {
			verdict.text += fmt.Sprintf(", %d more cases", more)
		}
	}
	return append(row, text(words(r.Metric)), number(r.Pairs),
		text(fmt.Sprintf("%.1f", scale*r.Base)), text(fmt.Sprintf("%.1f", scale*r.New)),
		text(fmt.Sprintf("%+.1f [%+.1f, %+.1f]", scale*r.Difference, scale*r.Low, scale*r.High)),
		text(fmt.Sprintf("%.4f", r.Corrected)), verdict)
}

func flipped(r score.Row) string {
	s := fmt.Sprintf("%s: %s", strings.Join(append(r.Key[:len(r.Key):len(r.Key)], words(r.Metric)), ", "), strings.Join(r.Flipped, ", "))
	if n := r.Worsened - len(r.Flipped); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// line is the section in a few words.
func (c *Comparison) line() string {
	counts := map[score.Verdict]int{}
	for _, r := range c.Rows {
		counts[r.Verdict]++
	}
	var parts []string
	for _, v := range []score.Verdict{score.Better, score.Worse, score.NoDifference, score.TooFew} {
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
				Title:     fmt.Sprintf("%s became worse: %.4f → %.4f (p %.4f)", row.Metric, row.Base, row.New, row.Corrected),
				Reproduce: reproduce,
			})
		}
	}
}
