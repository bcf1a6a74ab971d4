package reports

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// What the page shows at most; what is left out is counted on the page.
const (
	pageRows   = 2000 // of a table
	pageCauses = 5000 // of the list of causes
	pageDrawn  = 400  // causes that can be opened
)

//go:embed page
var pageFiles embed.FS

// HTML writes the report as one page that needs nothing else: no network, and
// JavaScript only for sorting, filtering and copying. It begins with the causes,
// prints as a summary, follows the reader's choice of a light or a dark screen, and
// says what it leaves out.
func (r *Report) HTML(w io.Writer) error {
	if err := newPage(r).write(w); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// harmless shows control characters and the like as their escapes, line by
// line; what writes the page escapes the rest.
func harmless(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = escape.Terminal(lines[i])
	}
	return strings.Join(lines, "\n")
}

// page is what the page shows.
type page struct {
	Title, Engine string
	Verdict       Verdict
	Line          string
	Environment   Environment
	Style, Script string
	ScriptHash    string // the only script that may run

	Causes   []pageCause
	Classes  []string // of the causes, to filter by
	Dialects []string
	// Left is how many causes are not listed, and Undrawn how many of those
	// listed cannot be opened.
	Left, Undrawn int
	Chapters      []pageChapter
}

// pageChapter is a section of the report.
type pageChapter struct {
	ID                 int
	Title, Line        string
	State, Mark, Score string // pass, fail, incomplete or figures, with its mark and how many causes
	Open               bool
	Plots              []plot
	Sections           []pageSection
	Changes            []pageChange
}

// pageSection is a block: a table, notes, or both.
type pageSection struct {
	ID      string
	Title   string
	Open    bool
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

func newPage(r *Report) *page {
	p := &page{
		Title: harmless("replanbench " + r.Command), Engine: harmless(r.Engine.String()), Verdict: r.Verdict, Line: harmless(r.line()),
		Environment: r.Environment, Style: pageFile("page.css"), Script: pageFile("page.js"),
	}
	hash := sha256.Sum256([]byte(p.Script))
	p.ScriptHash = "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
	p.causes(r)
	p.chapters(r)
	return p
}

func pageFile(name string) string {
	data, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is built in
	}
	return string(data)
}

// causes lists what failed, and then what is known or a matter of taste.
func (p *page) causes(r *Report) {
	list := slices.Concat(r.Failures, r.passedOver())
	p.Left = max(0, len(list)-pageCauses)
	list = list[:len(list)-p.Left]
	told, draw := r.told(), toDraw(list)
	for i, f := range list {
		x := told(f)
		c := newPageCause(i+1, f, x)
		if draw[i] {
			c.draw(f, x)
		} else {
			p.Undrawn++
		}
		p.Classes, p.Dialects = append(p.Classes, c.Class), append(p.Dialects, c.Dialect)
		p.Causes = append(p.Causes, c)
	}
	p.Classes, p.Dialects = choices(p.Classes), choices(p.Dialects)
}

// choices are the different texts of a list, to choose one of; nil if there is no
// choice.
func choices(list []string) []string {
	slices.Sort(list)
	if list = slices.Compact(list); len(list) < 2 {
		return nil
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// passedOver are the causes that fail nothing: those of the gate's list of what is
// known, and those that are advice.
func (r *Report) passedOver() (list []Failure) {
	failed := map[string]bool{}
	for _, f := range r.Failures {
		failed[f.ID] = true
	}
	add := func(suite, name string, advisory bool) {
		if !failed[name] {
			list = append(list, Failure{Suite: suite, ID: name, Status: harness.Known, Advisory: advisory})
		}
	}
	if r.Fuzz != nil {
		for i := range r.Fuzz.Campaigns {
			for _, c := range r.Fuzz.Campaigns[i].Causes {
				add(suiteFuzz, c.Name(r.Fuzz.Campaigns[i].Dialect), c.Advisory)
			}
		}
	}
	if r.Agent != nil {
		for _, c := range r.Agent.Causes {
			add(suiteAgent, AgentCause(r.Agent.Dialect, c), c.Advisory)
		}
	}
	return list
}

// chapters shows the sections of the report. Those that do not fail are closed, unless
// there is nothing else to see.
func (p *page) chapters(r *Report) {
	chapters := r.chapters()
	judged := slices.ContainsFunc(chapters, func(x chapter) bool { return x.judged })
	for i, x := range chapters {
		c := pageChapter{ID: i + 1, Title: harmless(x.title), Line: harmless(x.line), Plots: x.plots, Changes: pageChanges(x.compared), State: "figures", Mark: "·"}
		n := 0
		for _, f := range r.Failures {
			if x.owns != nil && x.owns(f) && !f.Advisory {
				n++
			}
		}
		switch {
		case n > 0:
			c.State, c.Mark, c.Score = "fail", "✗", fmt.Sprint(n)
		case x.short:
			c.State, c.Mark = string(Incomplete), "…"
		case x.judged:
			c.State, c.Mark = "pass", "✓"
		}
		c.Open = n > 0 || x.open || len(chapters) < 3 || !judged
		for k, b := range x.blocks {
			if b.listed {
				continue
			}
			s := newPageSection(fmt.Sprintf("%d-%d", i+1, k+1), b)
			s.Open = s.Open || len(c.Sections) == 0 || !x.judged
			c.Sections = append(c.Sections, s)
		}
		p.Chapters = append(p.Chapters, c)
	}
}

func newPageSection(id string, b block) pageSection {
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
			s.Open = s.Open || c.tone == style.Bad
			cells[i] = pageCell{harmless(escape.Cut(c.text, longest)), toneClass(c.tone), b.table.columns[i].right}
		}
		s.Rows = append(s.Rows, cells)
	}
	s.Left = len(b.table.rows) - len(s.Rows)
	return s
}

// toDraw chooses the failures that are drawn: of each suite as many as the
// others leave room for, so that none crowds the others out.
func toDraw(list []Failure) []bool {
	draw, all := make([]bool, len(list)), make([]int, len(list))
	for i := range list {
		all[i] = i
	}
	suites, places := grouped(all, func(i int) string { return list[i].Suite })
	for left := min(pageDrawn, len(list)); left > 0; {
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
