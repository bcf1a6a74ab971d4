package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/reports/measure"
)

// longest limits the characters of a value.
const longest = 2000

// latexRows is how many rows a table on one page has at most.
const latexRows = 40

// LaTeX writes a table in booktabs style with its notes as comments, and reports whether it has rows.
func LaTeX(w io.Writer, t *measure.Table) bool {
	if t.Hidden {
		return false
	}
	fmt.Fprintln(w)
	g := gridOf(t)
	if g != nil {
		g.latex(w)
	} else if t.Title != "" {
		fmt.Fprintf(w, "%% %s\n", escape.Terminal(t.Title))
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "%% %s\n", escape.Terminal(n))
	}
	return g != nil
}

// latex writes the table on one page, scaled down if it is too wide, or on several pages
// if it is long.
func (t *grid) latex(w io.Writer) {
	var columns strings.Builder
	for _, c := range t.Columns {
		if c.Right {
			columns.WriteString("r")
		} else {
			columns.WriteString("l")
		}
	}
	caption := escape.LaTeX(t.Title)
	if len(t.Rows) > latexRows {
		fmt.Fprintf(w, "\\begin{longtable}{%s}\n\\caption{%s}\\\\\n\\toprule\n%s\\midrule\n\\endhead\n", columns.String(),
			caption, latexRow(t.names(escape.LaTeX)))
		t.latexBody(w)
		fmt.Fprint(w, "\\bottomrule\n\\end{longtable}\n")
		return
	}
	fmt.Fprintf(w, "\\begin{table}[htbp]\n\\centering\n\\caption{%s}\n", caption)
	fmt.Fprint(w, "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(w, "\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n", columns.String(), latexRow(t.names(escape.LaTeX)))
	t.latexBody(w)
	fmt.Fprint(w, "\\bottomrule\n\\end{tabular}}\n\\end{table}\n")
}

func (t *grid) latexBody(w io.Writer) {
	for _, row := range t.Rows {
		cells := collect.Map(row, func(c measure.Cell) string { return escape.LaTeX(escape.Cut(c.Text, longest)) })
		_, _ = io.WriteString(w, latexRow(cells))
	}
}

// latexRow begins with an empty group, so that LaTeX does not read a bracket or star in
// the first cell as an argument of the previous line.
func latexRow(cells []string) string { return "{}" + strings.Join(cells, " & ") + ` \\` + "\n" }

// Markdown writes a table with its notes as GitHub Flavored Markdown.
func Markdown(w io.Writer, t *measure.Table) error {
	if t.Hidden {
		return nil
	}
	if t.Title != "" {
		fmt.Fprintf(w, "## %s\n\n", escape.Markdown(t.Title))
	}
	if g := gridOf(t); g != nil {
		err := g.write(w, renderer.NewMarkdown(), tw.WrapNone, g.names(escape.Markdown), func(_ int, c measure.Cell) string {
			return escape.Markdown(c.Text)
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "%s\n\n", escape.Markdown(n))
	}
	return nil
}
