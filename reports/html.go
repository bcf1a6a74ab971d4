package reports

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// What the page shows at most; what is left out is counted on the page.
const (
	pageRows    = 2000 // of a table
	pageRecords = 1000 // of the list of failures
	pageDetails = 100  // failures that are drawn
)

//go:embed page
var pageFiles embed.FS

// HTML writes the report as one page that needs nothing else: no network, and
// JavaScript only for plots, sorting and filtering. It prints, follows the
// reader's choice of a light or a dark screen, and says what it leaves out.
func (r *Report) HTML(w io.Writer) error {
	t, err := template.New("page.html").Funcs(template.FuncMap{"harmless": harmless}).ParseFS(pageFiles, "page/page.html")
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	if err := t.Execute(w, newPage(r)); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// harmless shows control characters and the like as their escapes, line by
// line; the template does the rest.
func harmless(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = escape.Terminal(lines[i])
	}
	return strings.Join(lines, "\n")
}

// page is what the template shows.
type page struct {
	Title, Engine string
	Verdict       Verdict
	Line          string
	Environment   Environment
	Style         template.CSS
	Scripts       []template.JS
	Licenses      string

	Plots    plots
	Counts   []pageCount
	Sections []pageSection
	Failures []pageFailure
	// Left is how many failures are not listed, and Undrawn how many of those
	// listed are not drawn.
	Left, Undrawn int
	Details       []pageDetail
	Legend        template.HTML
	Changes       []pageChange
}

type pageCount struct {
	Name, Tone string
	N          int
}

// pageSection is a block: a table, notes, or both.
type pageSection struct {
	ID      int
	Title   string
	Listed  bool // among the links to the parts
	Columns []pageColumn
	Rows    [][]pageCell
	Left    int // rows
	Notes   []string
}

type pageColumn struct {
	Name  string
	Right bool
}

type pageCell struct {
	Text, Tone string
	Right      bool
}

type pageFailure struct {
	Anchor string // "" if it is not drawn
	Status, Tone,
	Suite, Name, Reason, Reproduce string
}

func newPage(r *Report) *page {
	p := &page{
		Title: harmless("replanbench " + r.Command), Engine: harmless(r.Engine.String()), Verdict: r.Verdict, Line: harmless(r.Line()),
		Environment: r.Environment, Plots: r.plots(), Legend: legend(),
	}
	p.Style, p.Licenses = template.CSS(pageFile("page.css")), pageFile("LICENSES.txt")
	for _, name := range []string{"d3.min.js", "plot.min.js", "page.js"} {
		p.Scripts = append(p.Scripts, template.JS(pageFile(name)))
	}
	for _, t := range harness.Statuses() {
		if n := r.Summary.Counts[harness.Status(t.Name)]; n > 0 {
			p.Counts = append(p.Counts, pageCount{strings.ReplaceAll(t.Name, "_", " "), toneClass(statusTone(harness.Status(t.Name))), n})
		}
	}
	listed := map[string]bool{}
	for i, b := range append(r.blocks(), r.outcomesByFault()...) {
		s := newPageSection(i+1, b)
		s.Listed = !listed[s.Title]
		listed[s.Title] = true
		p.Sections = append(p.Sections, s)
	}
	p.failures(r)
	p.Changes = r.pageChanges()
	return p
}

func pageFile(name string) string {
	data, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is built in
	}
	return string(data)
}

func newPageSection(id int, b block) pageSection {
	s := pageSection{ID: id, Title: harmless(b.title)}
	for _, n := range b.notes {
		s.Notes = append(s.Notes, harmless(n))
	}
	if b.table == nil {
		return s
	}
	if s.Title = harmless(b.table.title); b.title != "" {
		s.Notes = slices.Insert(s.Notes, 0, harmless(b.title))
	}
	for _, c := range b.table.columns {
		s.Columns = append(s.Columns, pageColumn{harmless(strings.ReplaceAll(c.name, "_", " ")), c.right})
	}
	for _, row := range b.table.rows[:min(pageRows, len(b.table.rows))] {
		cells := make([]pageCell, len(row))
		for i, c := range row {
			cells[i] = pageCell{harmless(escape.Cut(c.text, longest)), toneClass(c.tone), b.table.columns[i].right}
		}
		s.Rows = append(s.Rows, cells)
	}
	s.Left = len(b.table.rows) - len(s.Rows)
	return s
}

func (p *page) failures(r *Report) {
	evidence := r.evidence()
	list := r.Failures[:min(pageRecords, len(r.Failures))]
	draw := toDraw(list)
	for i, f := range list {
		x := pageFailure{
			Status: harmless(string(f.Status)), Tone: toneClass(statusTone(f.Status)), Suite: harmless(f.Suite), Name: harmless(f.name()),
			Reason: harmless(escape.Cut(f.reason(), 300)), Reproduce: harmless(f.Reproduce),
		}
		if f.Advisory {
			x.Status, x.Tone = x.Status+", advisory", toneClass(style.Doubtful)
		}
		if draw[i] {
			x.Anchor = fmt.Sprintf("failure-%d", i+1)
			p.Details = append(p.Details, newPageDetail(x, f, evidence(f)))
		}
		p.Failures = append(p.Failures, x)
	}
	p.Left, p.Undrawn = len(r.Failures)-len(p.Failures), len(p.Failures)-len(p.Details)
}

// outcomesByFault are the figures behind the heat map.
func (r *Report) outcomesByFault() []block {
	if r.Fuzz == nil {
		return nil
	}
	var blocks []block
	for i := range r.Fuzz.Campaigns {
		c := &r.Fuzz.Campaigns[i]
		t := table{title: "What came of each fault, " + c.Dialect, columns: []column{{name: "fault"}, {name: "outcome"}, {"cases", true}}}
		for _, name := range c.Coverage.Outcomes.Names() {
			fault, outcome, _ := strings.Cut(name, " ")
			t.rows = append(t.rows, []cell{text(fault), text(outcome), number(int(c.Coverage.Outcomes[name]))})
		}
		if len(t.rows) > 0 {
			blocks = append(blocks, block{table: &t})
		}
	}
	return blocks
}

// toDraw chooses the failures that are drawn: of each suite as many as the
// others leave room for, so that none crowds the others out.
func toDraw(list []Failure) []bool {
	draw, all := make([]bool, len(list)), make([]int, len(list))
	for i := range list {
		all[i] = i
	}
	suites, places := grouped(all, func(i int) string { return list[i].Suite })
	for left := min(pageDetails, len(list)); left > 0; {
		for _, s := range suites {
			if left > 0 && len(places[s]) > 0 {
				draw[places[s][0]] = true
				places[s] = places[s][1:]
				left--
			}
		}
	}
	return draw
}

func toneClass(t style.Tone) string {
	return [...]string{style.Good: "good", style.Bad: "bad", style.Doubtful: "doubtful", style.Faint: "faint", style.Strong: "strong"}[t]
}
