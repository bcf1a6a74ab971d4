package reports

import (
	"fmt"
	"io"

	"replanbench/harness/document/escape"
	"replanbench/reports/table"
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

// LaTeX writes the tables of the report in booktabs style. The file compiles alone, and a
// paper that loads booktabs, longtable and graphicx can \input it. Notes are comments.
func (r *Report) LaTeX(w io.Writer) error {
	fmt.Fprintf(w, "%% replanbench %s\n%% %s\n", escape.Terminal(r.Command), escape.Terminal(r.Line()))
	fmt.Fprint(w, "% Compile it with pdflatex, or \\input it in a paper that loads booktabs, longtable and graphicx.\n",
		latexHead)
	written := false
	for _, t := range r.tables() {
		written = table.LaTeX(w, &t) || written
	}
	if !written {
		fmt.Fprintf(w, "\n%s\n", escape.LaTeX(r.Line()))
	}
	_, err := fmt.Fprintln(w, "\n\\replanbenchend")
	return err
}
