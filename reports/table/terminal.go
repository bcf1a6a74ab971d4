// Package table writes tables of measures for readers: for terminals, as Markdown, and as
// LaTeX.
package table

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/reports/measure"
)

// screen is the output device of a table.
type screen struct {
	style.Palette
	columns int
}

// Terminal writes a table with its notes for a terminal of so many columns.
func Terminal(w io.Writer, t *measure.Table, paint style.Palette, columns int) error {
	p := screen{paint, columns}
	if t.Hidden {
		return nil
	}
	if g := gridOf(t); g != nil {
		for i, part := range g.parts(p.columns) {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, p.Paint(style.Strong, escape.Terminal(part.Title)))
			if err := part.terminal(w, p); err != nil {
				return err
			}
		}
	} else if t.Title != "" {
		fmt.Fprintln(w, p.Paint(style.Strong, escape.Terminal(t.Title)))
	}
	for _, n := range t.Notes {
		indent := n[:len(n)-len(strings.TrimLeft(n, " "))]
		fmt.Fprintln(w, explain.WrapTo(p.columns, escape.Terminal(n), indent))
	}
	_, err := fmt.Fprintln(w)
	return err
}

// Fit returns the lines of a table without its title and notes, and without the columns that
// do not fit. It leaves out the last rows if there are more than so many lines, and then says
// how many.
func Fit(t *measure.Table, paint style.Palette, columns, most int) []string {
	g := gridOf(t)
	if g == nil {
		return nil
	}
	g = g.parts(columns)[0]
	all := len(g.Rows)
	for ; len(g.Rows) > 0; g.Rows = g.Rows[:len(g.Rows)-1] {
		var b strings.Builder
		_ = g.terminal(&b, screen{paint, columns}) // a builder takes everything
		lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
		if left := all - len(g.Rows); left > 0 {
			lines = append(lines, fmt.Sprintf(" … and %d more", left))
		}
		if len(lines) <= most {
			return lines
		}
	}
	if most < 1 {
		return nil
	}
	return []string{fmt.Sprintf(" … and %d more", all)}
}

// grid is a table on a screen.
type grid measure.Grid

func gridOf(t *measure.Table) *grid { return (*grid)(t.Grid()) }

// parts splits the table so that each part fits into the columns, and repeats the first
// columns in each. It splits a table of pieces only if it does not fit with broken cells.
func (t *grid) parts(columns int) []*grid {
	if t.Repeated == 0 {
		return []*grid{t}
	}
	need := t.natural()
	if t.Pieces {
		if need = t.narrowest(); total(need) <= columns {
			return []*grid{t}
		}
		t = t.stacked()
		need = t.narrowest()
	}
	fixed := total(need[:t.Repeated])
	var parts []*grid
	for from := t.Repeated; from < len(need); {
		to, total := from, fixed
		for to < len(need) && (to == from || total+need[to] <= columns) {
			total += need[to]
			to++
		}
		parts = append(parts, t.only(from, to))
		from = to
	}
	return parts
}

func total(widths []int) (sum int) {
	for _, n := range widths {
		sum += n
	}
	return sum
}

// stacked returns the table with its repeated columns as pieces of one column.
func (t *grid) stacked() *grid {
	join := func(cells []measure.Cell) []measure.Cell {
		keys := collect.Map(cells[:t.Repeated], func(c measure.Cell) string { return c.Text })
		return append([]measure.Cell{{Text: strings.Join(keys, ", ")}}, cells[t.Repeated:]...)
	}
	s := &grid{Title: t.Title, Repeated: 1, Pieces: t.Pieces}
	names := collect.Map(t.Columns[:t.Repeated], func(c measure.Column) string { return c.Head })
	s.Columns = append([]measure.Column{{Head: strings.Join(names, ", ")}}, t.Columns[t.Repeated:]...)
	s.Rows = collect.Map(t.Rows, join)
	return s
}

// only returns the table with its repeated columns and the columns [from, to).
func (t *grid) only(from, to int) *grid {
	part := &grid{Title: t.Title, Pieces: t.Pieces, Columns: slices.Concat(t.Columns[:t.Repeated], t.Columns[from:to])}
	for _, row := range t.Rows {
		part.Rows = append(part.Rows, slices.Concat(row[:t.Repeated], row[from:to]))
	}
	return part
}

// natural returns the width of each column with padding, if nothing is wrapped.
func (t *grid) natural() []int {
	need := make([]int, len(t.Columns))
	for i, name := range t.names(escape.Terminal) {
		need[i] = twwidth.Width(name) + padding
		for _, row := range t.Rows {
			need[i] = max(need[i], twwidth.Width(escape.Terminal(row[i].Text))+padding)
		}
	}
	return need
}

// terminal writes the table within the width of the screen, without trailing white space.
func (t *grid) terminal(w io.Writer, p screen) error {
	var b strings.Builder
	if err := t.render(&b, p); err != nil {
		return err
	}
	for line := range strings.Lines(strings.ReplaceAll(b.String(), joint, " ")) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	return nil
}

func (t *grid) render(w io.Writer, p screen) error {
	widths := t.widths(p.columns)
	lines := renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	})
	header := t.names(escape.Terminal)
	fit := func(i int, s string) string {
		s = strings.ReplaceAll(s, " %", joint+"%")
		if t.Pieces {
			s = inPieces(s, widths.Get(i)-padding)
		}
		return breakable(s, widths.Get(i)-padding)
	}
	for i := range header {
		header[i] = fit(i, header[i])
	}
	return t.write(w, lines, tw.WrapNormal, header, func(i int, c measure.Cell) string {
		return p.Paint(c.Tone, fit(i, escape.Terminal(c.Text)))
	}, tablewriter.WithColumnWidths(widths))
}

// write passes header and rows to the renderer.
func (t *grid) write(w io.Writer, r tw.Renderer, wrap int, header []string, show func(int, measure.Cell) string,
	more ...tablewriter.Option,
) error {
	out := tablewriter.NewTable(w, append(more,
		tablewriter.WithRenderer(r),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(wrap),
		tablewriter.WithRowAutoWrap(wrap),
		tablewriter.WithAlignment(t.alignment()),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: t.alignment()}),
	)...)
	out.Header(header)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = show(i, c)
		}
		if err := out.Append(cells); err != nil {
			return err
		}
	}
	return out.Render()
}

// joint is the place of a space that breaks no line, as wide as one: the renderer knows no such
// space. No text contains it, because it would be escaped.
const joint = "\ue000"

// padding is the horizontal space of a cell, in columns.
const padding = 2

// breakable inserts spaces into words that are longer than their column, after a slash, or else a
// mark such as a hyphen if there is one, so that the renderer wraps them instead of cutting them.
func breakable(s string, columns int) string {
	if twwidth.Width(s) <= columns {
		return s
	}
	var out []rune
	n, slash, mark := 0, 0, 0 // the width since the last space, and the places behind the last marks since then
	for _, r := range s {
		n += twwidth.Width(string(r))
		if r == ' ' || r == '\n' {
			n, slash, mark = 0, 0, 0
		} else if n > columns {
			at := cmp.Or(slash, mark, len(out))
			out = slices.Insert(out, at, ' ')
			n, slash, mark = twwidth.Width(string(append(out[at+1:], r))), 0, 0
		}
		if out = append(out, r); r == '/' {
			slash = len(out)
		} else if strings.ContainsRune("-_=.", r) {
			mark = len(out)
		}
	}
	return string(out)
}

// widths returns the width of each column with padding. It narrows the widest columns
// until the table fits: first down to the longest word of each, and then, breaking words, but
// never below the widest piece of a table of pieces.
func (t *grid) widths(columns int) tw.Mapper[int, int] {
	need := t.natural()
	for _, narrowest := range [][]int{t.longestWords(), t.narrowest()} {
		Narrow(need, narrowest, total(need)-columns)
	}
	m := tw.NewMapper[int, int]()
	for i, n := range need {
		m.Set(i, n)
	}
	return m
}

// Narrow reduces the widest columns by so much in total, as far as the narrowest widths allow.
func Narrow(need, narrowest []int, excess int) {
	for ; excess > 0; excess-- {
		widest := -1
		for i, n := range need {
			if n > narrowest[i] && (widest < 0 || n > need[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return // more columns than fit
		}
		need[widest]--
	}
}

// longestWords returns the width of the longest word of each column with padding, or of its widest
// piece if that is more.
func (t *grid) longestWords() []int {
	list := make([]int, len(t.Columns))
	if t.Pieces {
		list = t.narrowest()
	}
	for i, name := range t.names(escape.Terminal) {
		texts := []string{name}
		for _, row := range t.Rows {
			texts = append(texts, escape.Terminal(row[i].Text))
		}
		for word := range strings.FieldsSeq(strings.ReplaceAll(strings.Join(texts, " "), " %", joint+"%")) {
			list[i] = max(list[i], twwidth.Width(word)+padding)
		}
	}
	return list
}

// narrowest returns the minimum width of each column with padding.
func (t *grid) narrowest() []int {
	list := make([]int, len(t.Columns))
	for i := range list {
		if list[i] = 8; t.Pieces {
			list[i] = t.widestPiece(i)
		}
	}
	return list
}

// inPieces breaks a figure that is wider than its column into lines: count, share and
// interval.
func inPieces(s string, columns int) string {
	if twwidth.Width(s) <= columns {
		return s
	}
	return strings.NewReplacer(", ", "\n", " [", "\n[").Replace(s)
}

// widestPiece returns the width of the widest piece in a column, with padding. Longer names
// of groups than longestName are broken.
func (t *grid) widestPiece(column int) int {
	const longestName = 30
	texts := []string{t.Columns[column].Head}
	for _, row := range t.Rows {
		texts = append(texts, row[column].Text)
	}
	most := 0
	for line := range strings.SplitSeq(inPieces(escape.Terminal(strings.Join(texts, ", ")), 0), "\n") {
		most = max(most, twwidth.Width(line))
	}
	if !t.Columns[column].Right {
		most = min(most, longestName)
	}
	return most + padding
}

func (t *grid) alignment() tw.Alignment {
	a := tw.MakeAlign(len(t.Columns), tw.AlignLeft)
	for i, c := range t.Columns {
		if c.Right {
			a[i] = tw.AlignRight
		}
	}
	return a
}

func (t *grid) names(escape func(string) string) []string {
	return collect.Map(t.Columns, func(c measure.Column) string { return escape(strings.ReplaceAll(c.Head, "_", " ")) })
}
