package reports

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"replanbench/reports/escape"
	"replanbench/reports/explain"
	"replanbench/reports/style"
)

// width is what a report keeps to, in columns, where nothing else is said.
const width = 80

// screen is what a report is written for.
type screen struct {
	style.Palette
	columns int
}

// Table writes the report for a terminal of so many columns: the tables of its
// sections, the failures, and one line at the end with the verdict.
func (r *Report) Table(w io.Writer, colour bool, columns int) error {
	p := screen{style.Palette(colour), columns}
	for _, b := range r.blocks() {
		if err := b.terminal(w, p); err != nil {
			return err
		}
	}
	if len(r.Failures) > 0 {
		fmt.Fprintf(w, "%s\n\n", p.Paint(style.Strong, "Failures"))
	}
	for _, f := range r.Failures {
		f.terminal(w, p)
	}
	tone := style.Bad
	if r.Verdict == Passed {
		tone = style.Good
	}
	_, err := fmt.Fprintln(w, p.Paint(tone, r.Line()))
	return err
}

func (b block) terminal(w io.Writer, p screen) error {
	if b.table != nil {
		fmt.Fprintln(w, p.Paint(style.Strong, escape.Terminal(b.table.title)))
		if err := b.table.terminal(w, p); err != nil {
			return err
		}
	}
	if b.title != "" {
		fmt.Fprintln(w, p.Paint(style.Strong, escape.Terminal(b.title)))
	}
	for _, n := range b.notes {
		indent := n[:len(n)-len(strings.TrimLeft(n, " "))]
		fmt.Fprintln(w, explain.WrapTo(p.columns, escape.Terminal(n), indent))
	}
	_, err := fmt.Fprintln(w)
	return err
}

// terminal writes the table in lines of at most its columns, without white
// space at their ends.
func (t *table) terminal(w io.Writer, p screen) error {
	out, widths := bufio.NewWriter(w), t.widths(p.columns)
	header := make([]cell, len(t.columns))
	total := 0
	for i, name := range t.names(escape.Terminal) {
		header[i] = cell{text: name}
		total += widths[i]
	}
	t.row(out, style.Palette(false), widths, header)
	out.WriteString(strings.Repeat("─", total) + "\n")
	for _, row := range t.rows {
		t.row(out, p.Palette, widths, row)
	}
	return out.Flush()
}

// row writes the cells of a row side by side, in as many lines as the longest needs.
func (t *table) row(w *bufio.Writer, p style.Palette, widths []int, row []cell) {
	parts, height := make([][]string, len(row)), 1
	for i, c := range row {
		parts[i] = wrapped(escape.Terminal(c.text), widths[i]-padding)
		height = max(height, len(parts[i]))
	}
	for k := range height {
		var line strings.Builder
		for i, c := range row {
			text := ""
			if k < len(parts[i]) {
				text = parts[i][k]
			}
			room := strings.Repeat(" ", max(0, widths[i]-padding-style.Width(text)))
			if t.columns[i].right {
				line.WriteString(" " + room + p.Paint(c.tone, text) + " ")
			} else {
				line.WriteString(" " + p.Paint(c.tone, text) + room + " ")
			}
		}
		w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrapped is a text in lines of so many columns.
func wrapped(text string, columns int) []string {
	if style.Width(text) <= columns {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(breakable(text, columns)) {
		switch {
		case line == "":
			line = word
		case style.Width(line)+1+style.Width(word) <= columns:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// padding is the space round the text of a cell.
const padding = 2

// breakable puts spaces into words that are longer than their column, which
// would be cut otherwise.
func breakable(s string, columns int) string {
	if style.Width(s) <= columns {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		w := style.Width(string(r))
		if r == ' ' {
			n = 0
		} else if n += w; n > columns {
			b.WriteByte(' ')
			n = w
		}
		b.WriteRune(r)
	}
	return b.String()
}

// widths gives every column what it needs, the padding included, and takes
// from the widest until the table fits.
func (t *table) widths(columns int) []int {
	need := make([]int, len(t.columns))
	total := 0
	for i, name := range t.names(escape.Terminal) {
		need[i] = style.Width(name) + padding
		for _, row := range t.rows {
			need[i] = max(need[i], style.Width(escape.Terminal(row[i].text))+padding)
		}
		total += need[i]
	}
	const narrowest = 8
	for ; total > columns; total-- {
		widest := slices.Index(need, slices.Max(need))
		if need[widest] <= narrowest {
			break // more columns than fit
		}
		need[widest]--
	}
	return need
}

func (t *table) names(escape func(string) string) []string {
	var names []string
	for _, c := range t.columns {
		names = append(names, escape(strings.ReplaceAll(c.name, "_", " ")))
	}
	return names
}

func (f Failure) terminal(w io.Writer, p screen) {
	status, tone := string(f.Status), statusTone(f.Status)
	if f.Advisory {
		status, tone = status+", advisory", style.Doubtful
	}
	fmt.Fprintf(w, "%s %s\n", p.Paint(tone, status), p.Paint(style.Strong, escape.Terminal(f.name())))
	for line := range strings.SplitSeq(f.Title, "\n") {
		if line != "" {
			fmt.Fprintf(w, "  %s\n", p.Paint(style.Faint, escape.Terminal(line)))
		}
	}
	if f.Message != "" {
		fmt.Fprintf(w, "  %s\n", escape.Terminal(f.Message))
	}
	for _, d := range f.Differences {
		d = d.shown()
		fmt.Fprintf(w, "  at %s\n    %s\n    %s\n", d.At, p.Paint(style.Good, "want "+d.Want), p.Paint(style.Bad, "got  "+d.Got))
	}
	fmt.Fprintf(w, "  reproduce: %s\n\n", escape.Terminal(f.Reproduce))
}

// longest is how much of a value is shown, in characters.
const longest = 2000

// shown is the difference, cut and harmless.
func (d Difference) shown() Difference {
	show := func(s string) string { return escape.Terminal(escape.Cut(s, longest)) }
	return Difference{escape.Terminal(d.place()), show(d.Want), show(d.Got)}
}

func (d Difference) place() string { return cmp.Or(d.At, "the outcome") }
