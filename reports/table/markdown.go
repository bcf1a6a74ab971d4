package table

import (
	"fmt"
	"io"

	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"replanbench/harness/document/escape"
	"replanbench/reports/measure"
)

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
