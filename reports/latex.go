package reports

import (
	"fmt"
	"io"
	"strings"

	"replanbench/harness/document/escape"
)

// latexHead makes the file a document of its own, unless a paper inputs it: within a
// document LaTeX has set \@nodocument to \relax.
const latexHead = `\makeatletter
\ifx\@nodocument\relax\let\replanbenchend\relax\else
  \documentclass{article}
  \usepackage[utf8]{inputenc}
  \usepackage{booktabs,longtable,graphicx}
  \begin{document}
  \def\replanbenchend{\end{document}}
\fi
\makeatother
`

// latexRows is how many rows a table on one page has at most.
const latexRows = 40

// LaTeX writes the tables of the report in booktabs style. The file compiles alone, and a
// paper that loads booktabs, longtable and graphicx can \input it. Notes are comments.
func (r *Report) LaTeX(w io.Writer) error {
	fmt.Fprintf(w, "%% replanbench %s\n%% %s\n", escape.Terminal(r.Command), escape.Terminal(r.Line()))
	fmt.Fprint(w, "% Compile it with pdflatex, or \\input it in a paper that loads booktabs, longtable and graphicx.\n",
		latexHead)
	written := false
	for _, b := range r.blocks() {
		written = written || b.table != nil
		b.latex(w)
	}
	if !written {
		fmt.Fprintf(w, "\n%s\n", escape.LaTeX(r.Line()))
	}
	_, err := fmt.Fprintln(w, "\n\\replanbenchend")
	return err
}

func (b block) latex(w io.Writer) {
	fmt.Fprintln(w)
	if b.table != nil {
		b.table.latex(w)
	}
	if b.title != "" {
		fmt.Fprintf(w, "%% %s\n", escape.Terminal(b.title))
	}
	for _, n := range b.notes {
		fmt.Fprintf(w, "%% %s\n", escape.Terminal(n))
	}
}

// latex writes the table on one page, scaled down if it is too wide, or on several pages
// if it is long.
func (t *table) latex(w io.Writer) {
	var columns strings.Builder
	for _, c := range t.columns {
		if c.right {
			columns.WriteString("r")
		} else {
			columns.WriteString("l")
		}
	}
	caption := escape.LaTeX(t.title)
	if len(t.rows) > latexRows {
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

func (t *table) latexBody(w io.Writer) {
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = escape.LaTeX(escape.Cut(c.text, longest))
		}
		_, _ = io.WriteString(w, latexRow(cells))
	}
}

// latexRow begins with an empty group, so that LaTeX does not read a bracket or star in
// the first cell as an argument of the previous line.
func latexRow(cells []string) string { return "{}" + strings.Join(cells, " & ") + ` \\` + "\n" }
