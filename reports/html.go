package reports

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/reports/measure"
	"replanbench/reports/plot"
)

// Limits of the page. It says how much it omits.
const (
	pageRows      = 2000 // rows of a table
	pageCauses    = 5000 // causes in the list
	pageDrawn     = 400  // causes that readers can open
	printedCauses = 30   // causes on paper; page.css contains the same number
)

//go:embed page
var pageFiles embed.FS

// HTML writes the report as one page that needs no network, and JavaScript only to
// sort, filter and copy. It begins with the causes, prints as a summary, follows the
// reader's choice of light or dark, and says what it omits.
func (r *Report) HTML(w io.Writer) error {
	t, err := pageTemplates()
	if err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	out := bufio.NewWriter(w)
	if err = t.ExecuteTemplate(out, "page", newPage(r)); err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// pageTemplates parses the templates of the page. Their functions return the texts
// that the program itself brings, which the templates must not escape. html/template
// escapes all others.
func pageTemplates() (*template.Template, error) {
	css, script := pageFile("page.css"), pageFile("page.js")
	hash := sha256.Sum256([]byte(script))
	// No other script may run.
	policy := `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; ` +
		`base-uri 'none'; form-action 'none'; script-src 'sha256-` + base64.StdEncoding.EncodeToString(hash[:]) + `'"`
	return template.New("").Funcs(template.FuncMap{
		"policy":  func() template.HTMLAttr { return template.HTMLAttr(policy) },
		"style":   func() template.CSS { return template.CSS(css) },
		"script":  func() template.JS { return template.JS(script) },
		"printed": func() int { return printedCauses },
	}).ParseFS(pageFiles, "page/*.gohtml")
}

func pageFile(name string) string {
	data, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // the binary contains it
	}
	return string(data)
}

// page contains the values that the templates show. It shares no list with the report.
type page struct {
	Title, Line   string
	Verdict, Mark string
	About         measure.Notes // engine, version, time

	Heading  string // of the causes
	Causes   []pageCause
	Filters  []pageFilter
	Left     int          // causes that the list omits
	Undrawn  int          // causes in the list that readers cannot open
	First    *pageChapter // the ranking of engines or the history of runs, which comes before the causes
	Chapters []pageChapter
	Rest     int // failures of no chapter
}

// pageChapter is a section of the report.
type pageChapter struct {
	ID                 int
	Title, Line        string
	State, Mark, Score string // pass, fail, incomplete or figures; its mark; the number of causes
	Open               bool
	Plots              []plot.Drawing
	Sections           []pageSection
	Changes            []pageChange
	Omitted            int // changes that the page does not show
}

// pageSection is a block: a table, notes, or both.
type pageSection struct {
	ID, Title string
	Open      bool
	Columns   []pageCell
	Rows      [][]pageCell
	Left      int // rows that the page omits
	Notes     []string
}

// pageCell is a cell of a table, with its CSS classes.
type pageCell struct{ Text, Class string }

func newPage(r *Report) *page {
	p := &page{
		Title: "replanbench " + r.Command, Line: r.line(), Verdict: string(r.Verdict),
		About: measure.Notes{r.Engine.String()}, Mark: cmp.Or(map[Verdict]string{Passed: "✓", Failed: "✗"}[r.Verdict], "…"),
	}
	if r.League == nil { // otherwise it counts the engines
		p.About[0] = "Engine " + p.About[0]
	}
	p.About.If(r.Wider != nil, "%s", r.Wider.line())
	p.About.If(r.Environment.Version != "", "replanbench %s", r.Environment.Version)
	p.About.If(r.Environment.Started != "", "%s", r.Environment.Started)
	p.About.If(r.Environment.Seconds != 0, "%.1f s", r.Environment.Seconds)
	p.causes(r)
	p.chapters(r)
	eachText(reflect.ValueOf(p), escape.Lines)
	return p
}

// Count counts the rows of the list: those that fail, of all.
func (p *page) Count() string {
	all, failing := len(p.Causes), collect.Count(p.Causes, func(c pageCause) bool { return c.Aside == "" })
	if failing == all {
		return strconv.Itoa(all)
	}
	return fmt.Sprintf("%d of %d", failing, all)
}

// causes lists the failures, and then known and advisory causes.
func (p *page) causes(r *Report) {
	list := slices.Concat(r.Failures, r.passedOver())
	r.rankFailures(list)
	p.Left = max(0, len(list)-pageCauses)
	list = list[:len(list)-p.Left]
	detailOf, draw := r.details(), toDraw(list)
	p.Heading = "Causes"
	for i, f := range list {
		if f.Suite != suiteFuzz && f.Suite != suiteAgent { // such as a scenario
			p.Heading = "Causes and failures"
		}
		x := detailOf(f)
		c := newPageCause(i+1, f, x)
		if draw[i] {
			c.draw(f, x)
		} else {
			p.Undrawn++
		}
		p.Causes = append(p.Causes, c)
	}
	for _, x := range []struct {
		title, name string
		of          func(*pageCause) string
	}{
		{"Class", "class", func(c *pageCause) string { return c.Class }},
		{"State", "state", func(c *pageCause) string { return cmp.Or(c.Aside, "failing") }},
		{"Suite", "suite", func(c *pageCause) string { return c.Suite }},
		{"Dialect", "dialect", func(c *pageCause) string { return c.Dialect }},
		{"Engine", "engine", func(c *pageCause) string { return c.Engine }},
	} {
		if choices := p.choices(x.of); choices != nil {
			p.Filters = append(p.Filters, pageFilter{x.title, x.name, choices})
		}
	}
}

// pageFilter selects causes by a property. pageChoice is one of its values, and how many
// causes have it.
type (
	pageFilter struct {
		Title, Name string
		Choices     []pageChoice
	}
	pageChoice struct {
		Value string
		N     int
	}
)

// choices counts the causes by a property; nil if there are fewer than two values.
func (p *page) choices(of func(*pageCause) string) (list []pageChoice) {
	counts := map[string]int{}
	for i := range p.Causes {
		counts[of(&p.Causes[i])]++
	}
	if len(counts) < 2 {
		return nil
	}
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		if value != "" {
			list = append(list, pageChoice{value, counts[value]})
		}
	}
	return list
}

// passedOver returns the causes that fail nothing: known and advisory ones.
func (r *Report) passedOver() (list []Failure) {
	failed := map[string]bool{}
	for _, f := range r.Failures {
		failed[f.ID] = true
	}
	add := func(suite, name, again string, advisory bool) {
		if !failed[name] {
			list = append(list, Failure{Suite: suite, ID: name, Status: harness.Known, Advisory: advisory, Reproduce: again})
		}
	}
	for _, x := range r.campaigns() {
		for _, c := range x.Causes {
			again := ""
			if len(c.Groups) > 0 && hasIndex(x, c) {
				again = fmt.Sprintf("replanbench replay %s:%d:%d%s", x.Dialect, x.Seed, c.First,
					strings.Join(chosen.FindAllString(r.Command, -1), ""))
			}
			add(suiteFuzz, c.Name(x.Dialect), again, c.Advisory)
		}
	}
	if r.Agent != nil {
		for _, c := range r.Agent.Causes {
			add(suiteAgent, c.Name(r.Agent.Dialect), "", c.Advisory)
		}
	}
	return list
}

// chosen finds the flags of a command line that replay needs, too.
var chosen = regexp.MustCompile(
	` --(?:engine|config|traits|judge|profile|codes|arguments|without|gives) (?:'[^']*'|\S+)| -- .*`)

// chapters shows the sections of the report. It closes those that do not fail, unless
// readers would see nothing else.
func (p *page) chapters(r *Report) {
	chapters := r.chapters()
	judged := slices.ContainsFunc(chapters, func(x chapter) bool { return x.judged })
	p.Rest = collect.Count(r.Failures, func(f Failure) bool {
		return !f.Advisory && !slices.ContainsFunc(chapters, func(x chapter) bool { return x.has(f) })
	})
	for i, x := range chapters {
		c := pageChapter{ID: i + 1, Title: x.title, Line: x.line, Changes: pageChanges(x.compared)}
		c.Omitted = changedCases(x.compared) - len(c.Changes)
		for k := range x.plots {
			if d := plot.Draw(&x.plots[k]); d != nil {
				c.Plots = append(c.Plots, *d)
			}
		}
		c.State, c.Mark = "figures", "·"
		n := collect.Count(r.Failures, func(f Failure) bool { return x.has(f) && !f.Advisory })
		switch {
		case n > 0:
			c.State, c.Mark, c.Score = "fail", "✗", fmt.Sprint(n)
		case x.short:
			c.State, c.Mark = string(Incomplete), "…"
		case x.judged:
			c.State, c.Mark = "pass", "✓"
		}
		c.Open = n > 0 || x.open || len(chapters) < 3 || !judged
		for k, t := range x.tables {
			if !t.Listed && !t.Hidden {
				s := newPageSection(fmt.Sprintf("%d-%d", i+1, k+1), &t)
				s.Open = s.Open || len(c.Sections) == 0 || !x.judged
				c.Sections = append(c.Sections, s)
			}
		}
		if x.name == "league" || x.name == "history" {
			p.First = &c
			continue
		}
		p.Chapters = append(p.Chapters, c)
	}
}

func newPageSection(id string, t *measure.Table) pageSection {
	s := pageSection{ID: id, Title: t.Title, Notes: slices.Clone(t.Notes)}
	g := t.Grid()
	if g == nil {
		return s
	}
	for _, c := range g.Columns {
		s.Columns = append(s.Columns, pageCell{strings.ReplaceAll(c.Head, "_", " "), cellClass(c, "")})
	}
	for _, row := range g.Rows[:min(pageRows, len(g.Rows))] {
		cells := make([]pageCell, len(row))
		for i, c := range row {
			s.Open = s.Open || c.Tone == style.Bad
			cells[i] = pageCell{escape.Cut(c.Text, longest), cellClass(g.Columns[i], toneClass(c.Tone))}
		}
		s.Rows = append(s.Rows, cells)
	}
	s.Left = len(g.Rows) - len(s.Rows)
	return s
}

// cellClass returns the classes of a cell: its tone, and the alignment of its column.
func cellClass(c measure.Column, tone string) string {
	if c.Right {
		return strings.TrimLeft(tone+" right", " ")
	}
	return tone
}

// toDraw chooses the failures that readers can open: an equal number of each suite, as
// far as a suite has so many.
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
	return [...]string{
		style.Good: "good", style.Bad: "bad", style.Doubtful: "doubtful", style.Faint: "faint", style.Strong: "strong",
	}[t]
}
