package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/harness/score/stats"
)

// block is a piece of a report for readers: a table, notes, or both. Renderers escape the
// texts.
type block struct {
	title string // for notes without a table
	table *table
	notes []string
	// listed: the list of causes of an HTML page contains the same, so the page omits it.
	listed bool
}

type table struct {
	title   string
	columns []column
	rows    [][]cell
	// repeated is how many first columns a terminal repeats when it splits a wide table;
	// 0: never split.
	repeated int
	// pieces: a terminal breaks figures only between count, share and interval. It then
	// breaks the repeated columns into one, and then splits the table.
	pieces bool
}

type column struct {
	name  string
	right bool // aligned to the right
}

type cell struct {
	text string
	tone style.Tone
}

func text(s string) cell { return cell{text: s} }
func number(n int) cell  { return cell{text: strconv.Itoa(n)} }

// none returns the cell for a missing value.
func none() cell { return cell{"–", style.Faint} }

// textIf formats a text, or returns none unless ok.
func textIf(ok bool, format string, args ...any) cell {
	if !ok {
		return none()
	}
	return text(fmt.Sprintf(format, args...))
}

// statusCount shows the count of a status in its tone.
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

// rateName returns the heading of a column of rates.
func rateName(name string) string { return name + " % [95 % CI]" }

// confidence is the confidence level of all intervals.
const confidence = 0.95

// rate shows k of n in percent with its 95 % Wilson interval, or none if n is 0.
func rate(k, n int) cell {
	if n == 0 {
		return none()
	}
	lo, hi := stats.Wilson(k, n, confidence)
	return text(fmt.Sprintf("%.1f [%.1f–%.1f]", 100*float64(k)/float64(n), 100*lo, 100*hi))
}

// chapter is a section of the report with its blocks and plots.
type chapter struct {
	title, line string // line summarizes the chapter; "": no summary
	blocks      []block
	plots       []plot // of pages
	compared    []*Comparison
	judged      bool // it passes or fails; else it contains figures only
	short       bool // not all of it was run
	open        bool // pages never fold it
	owns        func(Failure) bool
}

// chapterOf returns the chapter of a section, or nothing without the section. The chapter
// owns the failures of the suite; "" means all failures.
func chapterOf[S any](section *S, p chapter, suite string, blocks func(*S) []block, plots func(*S) []plot) []chapter {
	if section == nil {
		return nil
	}
	p.blocks, p.plots = blocks(section), plots(section)
	p.owns = func(f Failure) bool { return f.Suite == suite || suite == "" }
	return []chapter{p}
}

// of returns the list of a section, or nil without the section.
func of[S, T any](section *S, list func(*S) []T) []T {
	if section == nil {
		return nil
	}
	return list(section)
}

// unplotted returns no plots.
func unplotted[S any](*S) []plot { return nil }

// chapters returns the chapters of all sections.
func (r *Report) chapters() []chapter {
	list := slices.Concat(
		chapterOf(r.Part, chapter{title: "Shard"}, "", (*Part).blocks, unplotted),
		chapterOf(r.History, chapter{title: "History", open: true}, "history", (*History).blocks, (*History).plots),
		chapterOf(r.League, chapter{title: "Leaderboard", judged: true}, "", (*League).blocks, (*League).plots),
		chapterOf(r.Scenarios, chapter{title: "Scenarios", judged: true, line: lineOf(r.Scenarios, (*Scenarios).line)},
			suiteScenarios, (*Scenarios).blocks, unplotted),
		chapterOf(r.Trim, chapter{title: "Trimming", judged: true}, "trim", (*Trim).blocks, (*Trim).plots),
	)
	if r.Fuzz != nil {
		list = append(list, r.Fuzz.chapters(r.Environment)...)
	}
	list = slices.Concat(list,
		chapterOf(r.Calibration, chapter{title: "Kill table", judged: true}, "calibrate", (*Calibration).blocks, unplotted),
		chapterOf(r.Naming, chapter{title: "Causes of known defects"}, "calibrate", (*Naming).blocks, unplotted),
		chapterOf(r.Shown, chapter{title: "Defects that scenarios detect", judged: true}, "calibrate", (*Shown).blocks,
			unplotted),
		chapterOf(r.Live, chapter{
			title: "Live run", line: lineOf(r.Live, (*Live).line), compared: r.Live.comparisons(),
			short: r.Live.gaps() > 0,
		}, "live", (*Live).blocks, (*Live).plots),
		chapterOf(r.Agent, chapter{title: "Agent", judged: true}, suiteAgent, (*Agent).blocks, unplotted),
		chapterOf(r.Protocols, chapter{title: "Protocols", line: lineOf(r.Protocols, (*Protocols).line)}, "protocols",
			(*Protocols).blocks, (*Protocols).plots),
		chapterOf(r.Score, chapter{title: "Scored replies", line: lineOf(r.Score, (*Score).line)}, "corpus", (*Score).blocks,
			(*Score).plots),
		chapterOf(r.Comparison, chapter{
			title: "Comparison", line: lineOf(r.Comparison, (*Comparison).line),
			compared: []*Comparison{r.Comparison},
		}, "compare", (*Comparison).blocks, (*Comparison).plots),
	)
	if said := r.Engine.Said; len(said) > 0 {
		list = append(list, chapter{title: "The engine", blocks: []block{{title: "Overridden declaration", notes: []string{
			"Instead of the declaration of " + r.Engine.Name + ": " + strings.Join(said, "; ") + ".",
		}}}})
	}
	if len(r.Coverage) > 0 {
		list = append(list, chapter{title: "Coverage", blocks: []block{r.coverage()}})
	}
	return list
}

// blocks returns the blocks of all chapters.
func (r *Report) blocks() (blocks []block) {
	for _, p := range r.chapters() {
		blocks = append(blocks, p.blocks...)
	}
	return blocks
}

// lineOf returns the line of a section, or "" without the section.
func lineOf[S any](section *S, line func(*S) string) string {
	if section == nil {
		return ""
	}
	return line(section)
}

func (r *Report) coverage() block {
	t := table{title: "Coverage", columns: []column{{name: "kind"}, {"covered", true}, {name: "not covered"}}}
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

// someOf returns the first names of a list and the number of the others. CSV and JSON
// contain all.
func someOf(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Line summarizes the report in one line: verdict and counts.
func (r *Report) Line() string { return strings.ToUpper(string(r.Verdict)) + ": " + r.line() }

// line summarizes the report without the verdict.
func (r *Report) line() string {
	parts := r.others()
	if r.Summary.Cases > 0 || len(parts) == 0 {
		parts = append([]string{r.Summary.line()}, parts...)
	}
	return strings.Join(parts, "; ")
}

// line counts the cases by status.
func (s *Summary) line() string {
	var parts []string
	for _, t := range harness.Statuses() {
		if n := s.Counts[harness.Status(t.Name)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(t.Name, "_", " ")))
		}
	}
	line := counted(s.Cases, "case")
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	if s.Advisory > 0 {
		line += fmt.Sprintf(" (%d of them advisory)", s.Advisory)
	}
	return line
}

// others returns the lines of the sections that do not count cases.
func (r *Report) others() []string {
	lines := []string{
		lineOf(r.Live, (*Live).line), lineOf(r.Score, (*Score).line),
		lineOf(r.Comparison, (*Comparison).line), lineOf(r.Protocols, (*Protocols).line),
	}
	return slices.DeleteFunc(lines, func(s string) bool { return s == "" })
}
