package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/stats"
	"replanbench/reports/style"
)

// block is a piece of a report as people see it: a table, notes, or both.
// Texts are as they came; the renderers escape them.
type block struct {
	title string // of notes without a table
	table *table
	notes []string
}

type table struct {
	title   string
	columns []column
	rows    [][]cell
}

type column struct {
	name  string
	right bool // numbers stand to the right
}

type cell struct {
	text string
	tone style.Tone
}

func text(s string) cell { return cell{text: s} }
func number(n int) cell  { return cell{text: strconv.Itoa(n)} }

// none stands where there is nothing to show.
func none() cell { return cell{"–", style.Faint} }

// textIf shows a text if there is one to show.
func textIf(ok bool, format string, args ...any) cell {
	if !ok {
		return none()
	}
	return text(fmt.Sprintf(format, args...))
}

// statusCount shows how often a status occurred, in its tone.
func statusCount(s harness.Status, n int) cell {
	if n == 0 {
		return cell{"0", style.Faint}
	}
	return cell{strconv.Itoa(n), statusTone(s)}
}

func statusTone(s harness.Status) style.Tone {
	switch s {
	case harness.Pass:
		return style.Good
	case harness.Known, harness.NotSupported:
		return style.Doubtful
	}
	return style.Bad
}

// rateName heads a column of rates.
func rateName(what string) string { return what + " % [95 % CI]" }

// confidence is that of all intervals.
const confidence = 0.95

// rate shows k of n in percent with its 95 % Wilson interval. Without n there
// is none.
func rate(k, n int) cell {
	if n == 0 {
		return none()
	}
	lo, hi := stats.Wilson(k, n, confidence)
	return text(fmt.Sprintf("%.1f [%.1f–%.1f]", 100*float64(k)/float64(n), 100*lo, 100*hi))
}

// blocks lays the whole report out, section by section.
func (r *Report) blocks() []block {
	fuzz := func(f *Fuzz) []block { return f.blocks(r.Environment) }
	blocks := slices.Concat(
		of(r.Part, (*Part).blocks), of(r.League, (*League).blocks), of(r.Scenarios, (*Scenarios).blocks), of(r.Trim, (*Trim).blocks),
		of(r.Fuzz, fuzz), of(r.Calibration, (*Calibration).blocks), of(r.Naming, (*Naming).blocks), of(r.Shown, (*Shown).blocks), of(r.Live, (*Live).blocks), of(r.Agent, (*Agent).blocks),
		of(r.Protocols, (*Protocols).blocks),
		of(r.Score, (*Score).blocks), of(r.Comparison, (*Comparison).blocks),
	)
	if said := r.Engine.Said; len(said) > 0 {
		blocks = append(blocks, block{title: "The engine, as it was said to be", notes: []string{
			"In the place of what " + r.Engine.Name + " declares: " + strings.Join(said, "; ") + ".",
		}})
	}
	if len(r.Coverage) > 0 {
		blocks = append(blocks, r.coverage())
	}
	return blocks
}

// of asks a section that the report may not have.
func of[S, T any](section *S, list func(*S) []T) []T {
	if section == nil {
		return nil
	}
	return list(section)
}

func (r *Report) coverage() block {
	t := table{title: "Coverage", columns: []column{{name: "kind"}, {"met", true}, {name: "never met"}}}
	for _, c := range r.Coverage {
		var missing []string
		for _, i := range c.Items {
			if i.N == 0 {
				missing = append(missing, i.Name)
			}
		}
		met := cell{fmt.Sprintf("%d of %d", len(c.Items)-len(missing), len(c.Items)), style.Good}
		if len(missing) > 0 {
			met.tone = style.Bad
		}
		t.rows = append(t.rows, []cell{text(c.Kind), met, {someOf(missing), style.Bad}})
	}
	return block{table: &t}
}

// someOf names those of a list that are shown, and says how many more there are;
// CSV and JSON hold them all.
func someOf(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Line is the whole report in one line: verdict and counts.
func (r *Report) Line() string {
	parts := r.others()
	if r.Summary.Cases > 0 || parts == nil {
		parts = append([]string{r.Summary.line()}, parts...)
	}
	return strings.ToUpper(string(r.Verdict)) + ": " + strings.Join(parts, "; ")
}

// line counts the cases by what became of them.
func (s *Summary) line() string {
	var parts []string
	for _, t := range harness.Statuses() {
		if n := s.Counts[harness.Status(t.Name)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(t.Name, "_", " ")))
		}
	}
	line := fmt.Sprintf("%d cases", s.Cases)
	if s.Cases == 1 {
		line = "1 case"
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	if s.Advisory > 0 {
		line += fmt.Sprintf(" (%d of them advisory)", s.Advisory)
	}
	return line
}

// others are the sections that count something else than cases.
func (r *Report) others() []string {
	return slices.Concat(
		of(r.Live, func(l *Live) []string { return []string{l.line()} }),
		of(r.Score, func(s *Score) []string { return []string{s.line()} }),
		of(r.Comparison, func(c *Comparison) []string { return []string{c.line()} }),
		of(r.Protocols, func(p *Protocols) []string { return []string{p.line()} }),
	)
}
