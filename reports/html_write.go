package reports

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"
)

// safe is HTML; all other text is escaped.
type safe string

// htmlWriter writes HTML. It is no template of the standard library: these call methods by
// name, and with that the linker keeps every method of every type, a tenth of the
// program.
type htmlWriter struct{ *bufio.Writer }

// put writes a format of HTML. Values are escaped, so that they can stand as text and
// in attributes between quotes.
func (w htmlWriter) put(format string, values ...any) {
	for i, v := range values {
		switch v := v.(type) {
		case int, safe:
		case string:
			values[i] = html.EscapeString(v)
		default:
			values[i] = html.EscapeString(fmt.Sprint(v))
		}
	}
	fmt.Fprintf(w, format, values...)
}

// some writes a value that there may not be.
func (w htmlWriter) some(format string, value string) {
	if value != "" {
		w.put(format, value)
	}
}

// count writes a number that is not 0.
func (w htmlWriter) count(format string, n int) {
	if n > 0 {
		w.put(format, n)
	}
}

// opened is the attribute of what is open.
func opened(open bool) safe {
	if open {
		return " open"
	}
	return ""
}

// class begins a class attribute where some of the classes hold.
func class(name string, holds bool) safe {
	if holds {
		return safe(` class="` + name + `"`)
	}
	return ""
}

// write writes the page.
func (p *page) write(to io.Writer) error {
	w := htmlWriter{bufio.NewWriter(to)}
	p.head(w)
	p.contents(w)
	w.put("<main id=\"main\">\n")
	if len(p.Causes) > 0 {
		p.list(w)
	}
	for i := range p.Chapters {
		p.Chapters[i].write(w)
	}
	w.put("</main>\n<script>%s</script>\n</body>\n</html>\n", safe(p.Script))
	return w.Flush()
}

func (p *page) head(w htmlWriter) {
	mark := map[Verdict]string{Passed: "✓", Failed: "✗"}[p.Verdict]
	if mark == "" {
		mark = "…"
	}
	w.put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'">
<title>%s: %s</title>
<link rel="icon" href="data:,">
<style>%s</style>
</head>
<body%s>
<a class="skip" href="#main">Skip to the results</a>
<header>
<p class="verdict %s"><span aria-hidden="true">%s</span> %[6]s</p>
<div>
<h1>%[3]s</h1>
<p>%[8]s</p>
`, safe(p.ScriptHash), p.Verdict, p.Title, safe(p.Style), class("has-causes", len(p.Causes) > 0), p.Verdict, mark, p.Line)
	w.put(`<p class="faint">Engine %s`, p.Engine)
	w.some(" · replanbench %s", p.Environment.Version)
	w.some(" · %s", p.Environment.Started)
	if s := p.Environment.Seconds; s != 0 {
		w.some(" · %s s", fmt.Sprintf("%.1f", s))
	}
	w.put("</p>\n</div>\n</header>\n")
}

// contents is the list of what is on the page.
func (p *page) contents(w htmlWriter) {
	w.put("<nav aria-label=\"Parts of the report\">\n<ul>\n")
	w.count("<li><a href=\"#causes\">Causes <span class=\"score\">%d</span></a></li>\n", len(p.Causes))
	for _, c := range p.Chapters {
		w.put(`<li><a href="#part-%d"><span class="mark %s" aria-hidden="true">%s</span> %s<span class="unseen">: %s</span>`, c.ID, c.State, c.Mark, c.Title, c.State)
		w.some(` <span class="score">%s</span>`, c.Score)
		w.put("</a></li>\n")
	}
	w.put("</ul>\n</nav>\n")
}

// printedCauses is how many causes are printed on paper, as the style has it.
const printedCauses = 30

// list is the list of causes, with what filters it.
func (p *page) list(w htmlWriter) {
	w.put("<section id=\"causes\" aria-labelledby=\"title-causes\">\n<h2 id=\"title-causes\">Causes</h2>\n" +
		"<form class=\"filter needs-script\" role=\"search\" aria-label=\"Filter the causes\">\n<label>Text <input type=\"search\" name=\"q\"></label>\n")
	choose(w, "Class", "class", p.Classes)
	choose(w, "Dialect", "dialect", p.Dialects)
	w.put("<output name=\"shown\" aria-live=\"polite\"></output>\n</form>\n")
	if p.Left > 0 || p.Undrawn > 0 {
		w.put(`<p class="note">`)
		w.count("%d of the causes listed here are told in a line only. ", p.Undrawn)
		w.count("%d more are left out of this page; <code>replanbench report FILE --format csv</code> lists them all.", p.Left)
		w.put("</p>\n")
	}
	for i := range p.Causes {
		p.Causes[i].write(w)
	}
	if n := len(p.Causes); n > printedCauses {
		w.put(`<p class="printed note">Of %d causes the first %d are printed.</p>`, n, printedCauses)
	}
	w.put("</section>\n")
}

func choose(w htmlWriter, title, name string, choices []string) {
	if len(choices) == 0 {
		return
	}
	w.put(`<label>%s <select name="%s"><option value="">any</option>`, title, name)
	for _, c := range choices {
		w.put("<option>%s</option>", c)
	}
	w.put("</select></label>\n")
}

func (c *pageCause) write(w htmlWriter) {
	w.put(`<details class="cause" id="cause-%d" data-class="%s" data-dialect="%s"><summary><b class="%s">%s</b> <span>%s</span> <small>`,
		c.ID, c.Class, c.Dialect, c.Tone, c.Class, c.Sentence)
	w.some("%s · ", c.Aside)
	w.some("%s · ", c.Dialect)
	if c.Often != "" {
		w.put("%s", c.Often)
	} else {
		w.put("%s", c.Suite)
	}
	w.put("</small></summary>\n<div class=\"body\">\n")
	for _, f := range c.Facts {
		w.put("<p class=\"text\">%s</p>\n", f)
	}
	for _, d := range c.Differences {
		w.put("<div class=\"difference\"><p>at %s</p><dl><dt>expected</dt><dd><code>%s<ins>%s</ins>%s</code></dd><dt>got</dt><dd><code>%[2]s<del>%[5]s</del>%[4]s</code></dd></dl></div>\n",
			d.At, d.Before, d.Want, d.After, d.Got)
	}
	for _, l := range c.Lists {
		l.write(w)
	}
	w.some("<p class=\"note\">%s</p>\n", c.Note)
	if c.Graph != "" {
		w.put("<div class=\"graphs\">%s</div><p class=\"faint\">+ added, − removed, ~ changed, ✓ done, ? not in the plan, and a step depends on it</p>\n", c.Graph)
	}
	c.given(w)
	w.put(`<p class="again">`)
	w.some("<code>%s</code> ", c.Again)
	w.put("%s</p>\n</div></details>\n", c.Name)
}

// given is the case: replies, the session of an agent, and other documents.
func (c *pageCause) given(w htmlWriter) {
	for _, r := range c.Replies {
		w.put(`<p class="label">%s`, r.Name)
		if r.Cut {
			w.put(" (a part of it)")
		}
		if r.Mark != "" {
			w.put(", the place to blame marked")
		}
		w.put("</p><pre>%s", r.Before)
		w.some("<mark>%s</mark>", r.Mark)
		w.put("%s</pre>\n", r.After)
	}
	if len(c.Turns) > 0 {
		w.put(`<p class="label">The session: what the model answers, turn by turn</p><ol class="session">`)
		for _, t := range c.Turns {
			w.put("<li>")
			w.some(`<p class="doubtful">%s</p>`, t.With)
			w.put("<pre>%s</pre></li>", t.Edit)
		}
		w.put("</ol>\n")
	}
	for _, d := range c.Documents {
		w.put("<details><summary>%s</summary><pre>%s</pre></details>\n", d.Name, d.Text)
	}
}

func (p *pagePlan) write(w htmlWriter) {
	classes := "plan"
	if p.Unlike {
		classes += " unlike"
	}
	if p.Names[0] != "before" {
		classes += " afterwards"
	}
	w.put(`<div class="scroll" role="group" aria-label="%s"><table class="%s" aria-label="%[1]s"><thead><tr>`, p.Title, classes)
	for _, c := range p.Columns {
		w.put(`<th scope="col">%s</th>`, c)
	}
	w.put("</tr></thead>\n<tbody>")
	for _, row := range p.Rows {
		wrong := ""
		if row.Wrong {
			wrong = " (not as expected)"
		}
		w.put(`<tr%s><th scope="row">%s`, class("wrong", row.Wrong), row.ID)
		w.some(`<span class="unseen">%s</span>`, wrong)
		before := row.Before
		if before == "" {
			before = "–"
		}
		w.put(`</th><td data-name="%s">%s</td>`, p.Names[0], before)
		for i, c := range row.Cells {
			w.put(`<td data-name="%s">`, p.Names[i+1])
			c.write(w)
			w.put("</td>")
		}
		w.put("</tr>\n")
	}
	w.put("</tbody></table></div>")
	w.count(`<p class="faint">%d more, as they were.</p>`, p.Left)
	w.put("\n")
}

func (f pageFate) write(w htmlWriter) {
	switch {
	case !f.Known:
		w.put(`<span class="faint">–</span>`)
	case len(f.Lines) == 0:
		w.put(`<span class="faint">=</span>`)
	}
	if !f.Known {
		return
	}
	for _, l := range f.Lines {
		w.put(`<p><b class="%s">%s</b> %s`, l.Tone, l.Name, l.Before)
		w.some("<del>%s</del>", l.Old)
		if l.Old != "" && l.New != "" && l.Before+l.After == "" {
			w.put(" ")
		}
		w.some("<ins>%s</ins>", l.New)
		w.put("%s</p>", l.After)
	}
}

func (c *pageChapter) write(w htmlWriter) {
	w.put(`<section id="part-%d" aria-labelledby="title-%[1]d"><details class="part"%[2]s><summary><h2 id="title-%[1]d"><span class="mark %[3]s" aria-hidden="true">%[4]s</span> %[5]s</h2>`,
		c.ID, opened(c.Open), c.State, c.Mark, c.Title)
	w.some(` <span class="faint">%s</span>`, c.Line)
	w.put("</summary>\n")
	for i := range c.Plots {
		c.Plots[i].write(w)
	}
	for _, s := range c.Sections {
		s.write(w)
	}
	if len(c.Changes) > 0 {
		w.put("<h3>Cases that came out otherwise, reply by reply</h3>\n")
	}
	for _, x := range c.Changes {
		x.write(w)
	}
	w.put("</details></section>\n")
}

func (p *plot) write(w htmlWriter) {
	w.put(`<figure class="plot"><figcaption><h3>%s</h3><p class="faint">%s</p>`, p.Title, p.Note)
	if len(p.Key) > 0 {
		w.put(`<ul class="legend">`)
		for _, k := range p.Key {
			w.put(`<li><i class="%s"></i>%s</li>`, k.Class, k.Name)
		}
		w.put("</ul>")
	}
	w.put("</figcaption>\n<table aria-label=\"%s\"><thead><tr><th scope=\"col\"><span class=\"unseen\">name</span></th><th scope=\"col\" class=\"axis\">", p.Title)
	for _, t := range p.Ticks {
		w.put(`<span style="left:%s">%s</span>`, t.At, t.Text)
	}
	w.put("</th><th scope=\"col\"><span class=\"unseen\">figures</span></th></tr></thead>\n<tbody>")
	for _, r := range p.Rows {
		w.put(`<tr><th scope="row">%s</th><td class="track"><div>`, r.Name)
		for _, m := range r.Marks {
			w.put(`<i class="%s" style="left:%s;width:%s"></i>`, m.Class, m.From, m.Wide)
		}
		w.put("</div></td><td class=\"%s\">%s</td></tr>\n", r.Tone, r.Text)
	}
	w.put("</tbody></table>")
	w.count(`<p class="note">%d more rows stand in the tables.</p>`, p.Left)
	w.put("</figure>\n")
}

func (s *pageSection) write(w htmlWriter) {
	title := s.Title
	if title == "" {
		title = "Notes"
	}
	w.put("<details class=\"table\" id=\"table-%s\"%s><summary><h3>%s</h3></summary>\n", s.ID, opened(s.Open), title)
	if len(s.Columns) > 0 {
		s.table(w)
	}
	w.count("<p class=\"note\">%d more rows are left out of this page; <code>replanbench report FILE --format csv</code> has them all.</p>\n", s.Left)
	for _, n := range s.Notes {
		w.put(`<p class="faint">%s</p>`, n)
	}
	w.put("</details>\n")
}

func (s *pageSection) table(w htmlWriter) {
	w.put("<div class=\"scroll\" role=\"group\" aria-label=\"%s\"><table class=\"sortable\" aria-label=\"%[1]s\">\n<thead><tr>", s.Title)
	for _, c := range s.Columns {
		name := c.Name
		if name == "" {
			name = "name"
		}
		w.put(`<th scope="col"%s>%s</th>`, class("right", c.Right), name)
	}
	w.put("</tr></thead>\n<tbody>")
	for _, row := range s.Rows {
		w.put("\n<tr>")
		for i, c := range row {
			tag := `td`
			if i == 0 {
				tag = `th scope="row"`
			}
			classes := c.Tone
			if c.Right {
				classes = strings.TrimLeft(classes+" right", " ")
			}
			w.put(`<%s%s>%s</%s>`, safe(tag), class(classes, classes != ""), c.Text, safe(tag[:2]))
		}
		w.put("</tr>")
	}
	w.put("\n</tbody></table></div>\n")
}

func (c *pageChange) write(w htmlWriter) {
	tone, word := "bad", "lost"
	if c.Gained {
		tone, word = "good", "gained"
	}
	w.put("<details class=\"change\"><summary><b class=\"%s\">%s</b> %s <span class=\"faint\">%s</span></summary>\n<div class=\"sides\">", tone, word, c.Case, c.Sides)
	for _, a := range []pageAnswer{c.Base, c.New} {
		w.put("<div><p><b>%s</b> <span class=\"%s\">%s</span></p><pre>%s</pre></div>\n", a.Name, a.Tone, a.Outcome, a.Text)
	}
	w.put("</div></details>\n")
}
