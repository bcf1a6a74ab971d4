package topics

import (
	"path"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/russross/blackfriday/v2"

	"replanbench/harness/document/style"
	"replanbench/reports/table"
)

// Plain returns Markdown as plain text whose lines are no wider than width, but
// for blocks of code and long words. Links to topics become the commands that
// show them.
func Plain(markdown string, width int, p style.Palette) string {
	extensions := blackfriday.WithExtensions(
		blackfriday.CommonExtensions &^ (blackfriday.DefinitionLists | blackfriday.Autolink))
	w := plain{width: width, palette: p}
	w.blocks(blackfriday.New(extensions).Parse([]byte(markdown)), "")
	return strings.TrimLeft(w.String(), "\n")
}

type plain struct {
	strings.Builder
	width   int
	palette style.Palette
}

// blocks writes the blocks below a node, an empty line before each.
func (w *plain) blocks(parent *blackfriday.Node, indent string) {
	for n := parent.FirstChild; n != nil; n = n.Next {
		switch n.Type {
		case blackfriday.Heading:
			w.heading(n)
		case blackfriday.Paragraph:
			w.WriteByte('\n')
			w.wrap(inline(n), indent, indent)
		case blackfriday.List:
			w.WriteByte('\n')
			w.list(n, indent)
		case blackfriday.CodeBlock:
			w.code(string(n.Literal), indent)
		case blackfriday.Table:
			w.WriteByte('\n')
			w.table(n)
		}
	}
}

// heading underlines the first two levels, as Markdown may, so that they are
// seen without colour.
func (w *plain) heading(n *blackfriday.Node) {
	text := inline(n)
	w.WriteString("\n" + w.palette.Paint(style.Strong, text) + "\n")
	if n.Level <= 2 {
		line := [...]string{1: "═", 2: "─"}[n.Level]
		w.WriteString(strings.Repeat(line, uniseg.StringWidth(text)) + "\n")
	}
}

func (w *plain) list(n *blackfriday.Node, indent string) {
	for item := n.FirstChild; item != nil; item = item.Next {
		first := item.FirstChild
		if first == nil {
			continue
		}
		w.wrap(inline(first), indent+"- ", indent+"  ")
		item.FirstChild = first.Next
		w.blocks(item, indent+"  ")
	}
}

// code writes lines as they are, indented where they all fit so.
func (w *plain) code(text, indent string) {
	indent += "    "
	for line := range strings.Lines(text) {
		if uniseg.StringWidth(strings.TrimRight(line, "\n"))+len(indent) > w.width {
			indent = ""
		}
	}
	w.WriteByte('\n')
	for line := range strings.Lines(text) {
		if line != "\n" {
			line = indent + line
		}
		w.WriteString(line)
	}
}

func (w *plain) wrap(text, first, hang string) {
	for i, line := range lines(text, w.width-uniseg.StringWidth(first)) {
		if i > 0 {
			first = hang
		}
		w.WriteString(first + line + "\n")
	}
}

// table writes columns that take from the widest until the lines fit.
func (w *plain) table(n *blackfriday.Node) {
	var rows [][]string
	n.Walk(func(n *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		switch {
		case entering && n.Type == blackfriday.TableRow:
			rows = append(rows, nil)
		case entering && n.Type == blackfriday.TableCell:
			rows[len(rows)-1] = append(rows[len(rows)-1], inline(n))
			return blackfriday.SkipChildren
		}
		return blackfriday.GoToNext
	})
	widths := columns(rows, w.width)
	for i, row := range rows {
		w.row(row, widths)
		if i == 0 {
			total := len(gap) * (len(widths) - 1)
			for _, n := range widths {
				total += n
			}
			w.WriteString(strings.Repeat("─", total) + "\n")
		}
	}
}

const gap = "  "

// columns returns how wide the columns of a table may be: as wide as their longest
// cells, or less, the widest first, as long as no piece of a word is cut.
func columns(rows [][]string, width int) []int {
	widths, least := make([]int, len(rows[0])), make([]int, len(rows[0]))
	total := len(gap) * (len(widths) - 1)
	for c := range widths {
		for _, row := range rows {
			widths[c] = max(widths[c], uniseg.StringWidth(row[c]))
			for piece := range strings.FieldsSeq(breakable(row[c], 0)) {
				least[c] = max(least[c], uniseg.StringWidth(piece))
			}
		}
		total += widths[c]
	}
	table.Narrow(widths, least, total-width)
	return widths
}

// row writes the cells of a row side by side, each wrapped within its column.
func (w *plain) row(cells []string, widths []int) {
	var wrapped [][]string
	height := 0
	for c, cell := range cells {
		wrapped = append(wrapped, lines(breakable(cell, widths[c]), widths[c]))
		height = max(height, len(wrapped[c]))
	}
	for y := range height {
		var line strings.Builder
		for c, cell := range wrapped {
			text := ""
			if y < len(cell) {
				text = cell[y]
			}
			line.WriteString(text + strings.Repeat(" ", max(0, widths[c]-uniseg.StringWidth(text))) + gap)
		}
		w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// breakable puts a space behind commas and slashes of words that are wider than their
// column.
func breakable(text string, width int) string {
	words := strings.Fields(text)
	for i, word := range words {
		if uniseg.StringWidth(word) > width {
			words[i] = strings.NewReplacer(",", ", ", "/", "/ ").Replace(word)
		}
	}
	return strings.Join(words, " ")
}

// lines breaks text at spaces. A word that does not fit stays whole.
func lines(text string, width int) []string {
	var list []string
	line, used := "", 0
	for word := range strings.FieldsSeq(text) {
		n := uniseg.StringWidth(word)
		if used > 0 && used+1+n > width {
			list, line, used = append(list, line), "", 0
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	return append(list, line)
}

// inline returns the text below a node.
func inline(n *blackfriday.Node) string {
	var b strings.Builder
	n.Walk(func(n *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		switch {
		case entering && n.Type == blackfriday.Text:
			b.Write(n.Literal)
		case entering && n.Type == blackfriday.Code:
			b.WriteString("`" + string(n.Literal) + "`")
		case entering && n.Type == blackfriday.Link && topic(string(n.Destination)) != "":
			b.WriteString("`replanbench help " + topic(string(n.Destination)) + "`")
			return blackfriday.SkipChildren
		case !entering && n.Type == blackfriday.Link:
			b.WriteString(target(string(n.Destination)))
		}
		return blackfriday.GoToNext
	})
	return b.String()
}

// topic returns the name of the topic that a link leads to, or nothing.
func topic(link string) string {
	file, _, _ := strings.Cut(path.Base(link), "#")
	name, _ := strings.CutSuffix(file, ".md")
	if _, ok := Markdown(name); !ok {
		return ""
	}
	return name
}

// target says in text where a link to no topic leads.
func target(link string) string {
	folder, ok := strings.CutPrefix(path.Dir(link), "../../../")
	switch {
	case ok:
		return " (`go doc replanbench/" + folder + "`)"
	case strings.HasPrefix(link, "https://"):
		return " (" + link + ")"
	}
	return ""
}
