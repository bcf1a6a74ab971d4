package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// Markdown writes the report for a pull request or a paper (GitHub's flavour),
// the verdict first.
func (r *Report) Markdown(w io.Writer) error { return r.markdown(w, len(r.Failures)) }

// markdown tells of so many failures and counts the others.
func (r *Report) markdown(w io.Writer, most int) error {
	fmt.Fprintf(w, "# replanbench %s\n\n", escape.Markdown(r.Command))
	fmt.Fprintf(w, "**%s**\n\n", escape.Markdown(r.Line()))
	fmt.Fprintf(w, "Engine: %s\n\n", escape.Markdown(r.Engine.String()))
	for _, b := range r.blocks() {
		if err := b.markdown(w); err != nil {
			return err
		}
	}
	if len(r.Failures) > 0 {
		fmt.Fprint(w, "## Failures\n\n")
	}
	most = min(most, len(r.Failures))
	for _, f := range r.Failures[:most] {
		f.markdown(w)
	}
	if n := len(r.Failures) - most; n > 0 {
		fmt.Fprintf(w, "%d more failures are left out here.\n\n", n)
	}
	_, err := fmt.Fprintf(w, "replanbench %s, %s, %s/%s\n", escape.Markdown(r.Environment.Version),
		escape.Markdown(r.Environment.Go), escape.Markdown(r.Environment.OS), escape.Markdown(r.Environment.Arch))
	return err
}

func (b block) markdown(w io.Writer) error {
	if b.table != nil {
		fmt.Fprintf(w, "## %s\n\n", escape.Markdown(b.table.title))
		if err := b.table.markdown(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if b.title != "" {
		fmt.Fprintf(w, "## %s\n\n", escape.Markdown(b.title))
	}
	for _, n := range b.notes {
		fmt.Fprintf(w, "%s\n\n", escape.Markdown(n))
	}
	return nil
}

func (t *table) markdown(w io.Writer) error {
	rows := [][]string{t.names(escape.Markdown), make([]string, len(t.columns))}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = escape.Markdown(c.text)
		}
		rows = append(rows, cells)
	}
	out, widths := bufio.NewWriter(w), make([]int, len(t.columns))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], style.Width(text))
		}
	}
	for k, row := range rows {
		for i, text := range row {
			room := strings.Repeat(" ", widths[i]-style.Width(text))
			switch right := t.columns[i].right; {
			case k == 1 && right:
				fmt.Fprintf(out, "|%s:", strings.Repeat("-", widths[i]+1))
			case k == 1:
				fmt.Fprintf(out, "|:%s", strings.Repeat("-", widths[i]+1))
			case right:
				fmt.Fprintf(out, "| %s%s ", room, text)
			default:
				fmt.Fprintf(out, "| %s%s ", text, room)
			}
		}
		fmt.Fprintln(out, "|")
	}
	return out.Flush()
}

func (f Failure) markdown(w io.Writer) {
	fmt.Fprintf(w, "### %s: %s\n\n", escape.Markdown(f.name()), escape.Markdown(string(f.Status)))
	if f.Advisory {
		fmt.Fprint(w, "Advisory: the gate does not fail on it.\n\n")
	}
	for _, s := range []string{f.Title, f.Message} {
		if s != "" {
			fmt.Fprintf(w, "%s\n\n", escape.Markdown(strings.ReplaceAll(s, "\n", " ")))
		}
	}
	var b strings.Builder
	for _, d := range f.Differences {
		d = d.shown()
		fmt.Fprintf(&b, "@ %s\n- want %s\n+ got  %s\n", d.At, d.Want, d.Got)
	}
	if b.Len() > 0 {
		io.WriteString(w, escape.Fence("diff", b.String()))
	}
	io.WriteString(w, escape.Fence("sh", escape.Terminal(f.Reproduce)+"\n"))
}
