// Package explain describes the outcome of one case for readers: how each reply was read
// and repaired, the plan before and after, warnings, and where and why a reply was
// rejected.
//
// It contains the story type, its renderers, and the sections that several dialects share.
// Each dialect composes the stories of its cases. The package does not judge outcomes and
// knows no rules: everything in a story comes from the case and the outcome of any engine.
package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
)

// Story is an explanation: a headline, its meaning, and sections of lines. Renderers
// escape its texts, which come from plans, replies and engines.
type Story struct {
	Headline string
	Meaning  string
	Tone     style.Tone
	Sections []Section
}

// Section is a title with lines.
type Section struct {
	Title string
	Lines []Line
	Tail  bool // the last lines matter most
}

// Line is a line of text with a mark before it: + added, - removed, ~ changed,
// > moved, ✓ done, or none.
type Line struct {
	Mark   string
	Indent int
	Text   string
	Tone   style.Tone
}

// Add adds a line.
func (s *Section) Add(mark string, indent int, tone style.Tone, format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	s.Lines = append(s.Lines, Line{mark, indent, text, tone})
}

// width is the width of a story on a terminal, in columns. Words can be longer.
const width = 80

// Terminal writes the story for a terminal.
func (s Story) Terminal(w io.Writer, colour bool) error {
	p := style.Palette(colour)
	fmt.Fprintln(w, p.Paint(s.Tone, escape.Terminal(s.Headline)))
	if s.Meaning != "" {
		fmt.Fprintln(w, Wrap(escape.Terminal(s.Meaning), ""))
	}
	for _, section := range s.Sections {
		fmt.Fprintf(w, "\n%s\n", p.Paint(style.Strong, escape.Terminal(section.Title)))
		for _, line := range section.Terminal(p, width) {
			fmt.Fprintln(w, line)
		}
	}
	return nil
}

// Terminal returns the lines below the title, for a terminal of so many columns.
func (s Section) Terminal(p style.Palette, columns int) (lines []string) {
	marks := slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Mark != "" })
	for _, l := range s.Lines {
		prefix := "  " + l.prefix(marks)
		text := WrapTo(columns, prefix+escape.Terminal(l.Text), strings.Repeat(" ", utf8.RuneCountInString(prefix)+2))
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, p.Paint(l.Tone, line))
		}
	}
	return lines
}

// Markdown writes the story as Markdown. Each section is a code block of the language
// diff, which colours lines that begin with + and -.
func (s Story) Markdown(w io.Writer) error {
	fmt.Fprintf(w, "**%s** %s\n\n", escape.Markdown(s.Headline), escape.Markdown(s.Meaning))
	for _, section := range s.Sections {
		fmt.Fprintf(w, "### %s\n\n", escape.Markdown(section.Title))
		if len(section.Lines) == 0 {
			continue
		}
		var b strings.Builder
		for _, l := range section.Lines {
			b.WriteString(l.prefix(true) + escape.Terminal(l.Text) + "\n")
		}
		if _, err := io.WriteString(w, escape.Fence("diff", b.String())); err != nil {
			return err
		}
	}
	return nil
}

// prefix returns the mark, if the section has marks, and the indentation.
func (l Line) prefix(marks bool) string {
	indent := strings.Repeat("  ", l.Indent)
	switch {
	case !marks:
		return indent
	case l.Mark == "":
		return "  " + indent
	}
	return l.Mark + " " + indent
}

// Wrap breaks a line at spaces. The lines after the first begin with hang. It does not
// break words.
func Wrap(line, hang string) string { return WrapTo(width, line, hang) }

// WrapTo breaks a line like [Wrap], at the given number of columns.
func WrapTo(columns int, line, hang string) string {
	var b strings.Builder
	for twwidth.Width(line) > columns {
		at := breakAt(columns, line, len(hang))
		if at < 0 {
			break
		}
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = hang + strings.TrimLeft(line[at:], " ")
	}
	return b.String() + line
}

// breakAt returns the position of the last space within the width that has a word before
// it. If there is none, it is the last position after a comma or a brace, such as in JSON, or
// the first space after the width, or -1.
func breakAt(width int, line string, hang int) int {
	columns, at, word, comma := 0, -1, false, -1
	for i, r := range line {
		columns += twwidth.Width(string(r))
		if columns > width && at < 0 && comma >= 0 {
			return comma
		}
		if columns > width+1 && at >= 0 {
			break
		}
		if strings.ContainsRune(",{[", r) && i > hang {
			comma = i + 1
		}
		if r == ' ' && i > hang && word {
			at = i
		}
		word = word || r != ' '
	}
	return at
}
