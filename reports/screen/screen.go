// Package screen writes the end of a command's output: the answer to the question of its
// user, on one screen.
package screen

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/reports/measure"
	"replanbench/reports/table"
)

// Lines is how many lines a screen has at most. A terminal of the usual size shows all of them
// above the prompt of the shell.
const Lines = 23

// Screen is the answer of a command.
type Screen struct {
	Head  string // the verdict, the name of what was tested, and the counts
	Tone  style.Tone
	Lists []List        // the most important one first
	Notes measure.Notes // what was not done
	Next  []Step        // commands to run next
}

// List is a list of findings, or a table.
type List struct {
	Title string
	Items []Item
	Table *measure.Table
	// Section is a part of a story with the title of the list.
	Section *explain.Section
	// Least is how many lines earlier lists leave to this one; 0: its title and a blank line.
	Least int
	// Folded says that Markdown shows only the title until a reader opens the list.
	Folded bool
}

// Item is a line of a list: its place, what kind of thing it is, and a text.
type Item struct {
	Mark, Kind string
	Tone       style.Tone // of the kind
	Text       string
	// Heading says that the text is above the items that follow. Without room for that, the
	// first of them begins with its Kind.
	Heading bool
}

// Sections makes lists of the sections of a story.
func Sections(list []explain.Section) (lists []List) {
	for i := range list {
		lists = append(lists, List{Title: list[i].Title, Section: &list[i]})
	}
	return lists
}

// Step is a command, and what it is for.
type Step struct{ Why, Command string }

// writer collects the lines of a screen.
type writer struct {
	style.Palette
	columns int
	lines   []string
}

// How many lines the parts of a screen have at most. A long list has shorter items.
const (
	headLines = 3
	noteLines = 8
	noteLong  = 3
	itemLines = 3
)

// Write writes the screen for a terminal of so many columns.
func (s *Screen) Write(w io.Writer, p style.Palette, columns int) error {
	head, tail := writer{Palette: p, columns: columns}, writer{Palette: p, columns: columns}
	head.head(s.Tone, escape.Terminal(s.Head))
	tail.next(s.Next)
	const few = 5 // lines of the first list
	notes := writer{Palette: p, columns: columns}
	notes.notes(s.Notes, Lines-len(head.lines)-len(tail.lines)-few-2*len(s.Lists))
	tail.lines = append(notes.lines, tail.lines...)
	room := Lines - len(head.lines) - len(tail.lines)
	lists := s.fitting(p, columns, room)
	if n := len(s.Lists) - len(lists); n > 0 {
		noun := "table"
		if s.Lists[len(s.Lists)-1].Section != nil {
			noun = "section"
		}
		tail.lines = append([]string{"", "… and " + more(n, noun)}, tail.lines...)
		room -= 2
	}
	for i, l := range lists {
		most := room
		for _, later := range lists[i+1:] {
			most -= later.least(p, columns, room/(len(lists)-i))
		}
		if l.Items != nil { // it shows two items before a later list shows more than its title
			most = max(most, min(6, room-2*len(lists[i+1:])))
		}
		list := l.render(p, columns, most-1)
		head.lines = append(append(head.lines, ""), list...)
		room -= len(list) + 1
	}
	_, err := fmt.Fprintln(w, strings.Join(append(head.lines, tail.lines...), "\n"))
	return err
}

// fitting returns the lists without the last tables and sections, if there is no room for a row of each.
func (s *Screen) fitting(p style.Palette, columns, room int) []List {
	lists := slices.Clone(s.Lists)
	for {
		need, last, parts := 0, 0, 0
		for i, l := range lists {
			if need += l.least(p, columns, 0); l.Table != nil || l.Section != nil {
				last, parts = i, parts+1
			}
		}
		if len(lists) < len(s.Lists) {
			need += 2 // the line that counts the others
		}
		if need <= room || parts < 2 {
			return lists
		}
		lists = slices.Delete(lists, last, last+1)
	}
}

// head adds the first lines, broken between facts if that is enough.
func (w *writer) head(tone style.Tone, text string) {
	var lines []string
	for i, fact := range strings.SplitAfter(text, "; ") {
		if i > 0 && twwidth.Width(lines[len(lines)-1]+strings.TrimSpace(fact)) <= w.columns {
			lines[len(lines)-1] += fact
		} else {
			lines = append(lines, fact)
		}
	}
	for _, l := range lines[:min(headLines, len(lines))] {
		l = amount.ReplaceAllString(l, "$1$2"+unbroken+"$3")
		w.wrapped(tone, strings.TrimRight(l, "; "), "  ", 2)
	}
}

// endCounts finds the counts at the end of a text, such as (3 of 4, at planner.py:7).
var endCounts = regexp.MustCompile(`( \(\d+ of \d+)[^()]*\)$`)

// whole matches words that stay in one line: a share, such as 3 of 4, or a short quotation with
// the words that introduce it. unbroken is a space that no line ends with.
var whole = regexp.MustCompile(`\(\d+ of \d+|((when )?\w{1,12} is |with )?"[^"]{1,24}"`)

// titleCounts matches a title that ends with the number of its items.
var titleCounts = regexp.MustCompile(`: \d+$`)

// amount matches a number and its noun, such as 3 flaky, but not the end of a-3 b.
var amount = regexp.MustCompile(`(^| )(\d+) (\w)`)

const unbroken = "\u00a0"

// wrapped adds a text, broken at spaces, in at most so many lines. A word that is longer than a line
// ends with an ellipsis.
func (w *writer) wrapped(tone style.Tone, text, hang string, most int) {
	words, room := strings.Split(text, " "), w.columns-twwidth.Width(hang)
	if most == 1 {
		room -= twwidth.Width(" …")
	}
	for i, word := range words {
		if twwidth.Width(word) > room {
			words[i] = twwidth.Truncate(word, max(1, room), "…")
		}
	}
	text = strings.Join(words, " ")
	wrap := func(text string) []string {
		text = whole.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, " ", unbroken) })
		return strings.Split(explain.WrapTo(w.columns, text, hang), "\n")
	}
	lines := wrap(text)
	if len(lines) > most {
		end := " …"
		for i, counts := range endCounts.FindStringSubmatch(text) { // all of it, or only the numbers
			if counts = strings.TrimSuffix(counts, ")") + ")"; i == 0 {
				text = strings.TrimSuffix(text, counts)
			}
			if 3*twwidth.Width(counts) <= most*room {
				end, lines = " …"+counts, wrap(text)
				break
			}
		}
		lines = lines[:min(most, len(lines))]
		lines[len(lines)-1] = shortened(lines[len(lines)-1], end, w.columns)
	}
	for _, l := range lines {
		w.lines = append(w.lines, w.Paint(tone, strings.ReplaceAll(l, unbroken, " ")))
	}
}

// shortened ends a line with an ellipsis and what follows it, in place of its last words if it has to.
func shortened(line, end string, columns int) string {
	for twwidth.Width(line)+twwidth.Width(end) > columns && strings.Contains(strings.TrimSpace(line), " ") {
		line = line[:strings.LastIndexByte(strings.TrimRight(line, " "), ' ')]
	}
	return strings.TrimRight(line, " ,;") + end
}

// notes adds notes in at most so many lines, but at least the number of notes.
func (w *writer) notes(list []string, most int) {
	if len(list) > 0 {
		w.lines = append(w.lines, "")
	}
	for i, n := range list {
		left := min(noteLines, most) - len(w.lines)
		if left < 1 && i < len(list) {
			w.lines = append(w.lines, fmt.Sprintf("… and %s with --verbose", more(len(list)-i, "note")))
			return
		}
		w.wrapped(style.Plain, escape.Terminal(n), "  ", min(noteLong, left))
	}
}

// next adds the commands, each after what it is for.
func (w *writer) next(list []Step) {
	if len(list) > 0 {
		w.lines = append(w.lines, "")
	}
	for _, s := range list {
		line := escape.Terminal(s.Why + ": " + s.Command)
		if twwidth.Width(line) <= w.columns {
			w.lines = append(w.lines, line)
			continue
		}
		w.lines = append(w.lines, s.Why+":")
		w.lines = append(w.lines, continued(escape.Terminal(s.Command), w.columns)...)
	}
}

// continued breaks a command line between its words, so that a shell still reads one command.
func continued(command string, columns int) (lines []string) {
	line := " "
	for _, word := range shellWords(command) {
		if twwidth.Width(line+" "+word)+2 > columns && strings.TrimSpace(line) != "" {
			lines, line = append(lines, line+" \\"), "   "
		}
		line += " " + word
	}
	return append(lines, line)
}

// shellWords splits a command line at the spaces that are not quoted.
func shellWords(command string) (words []string) {
	from, quoted := 0, false
	for i := range len(command) {
		switch {
		case command[i] == '\'' && (i == 0 || command[i-1] != '\\'):
			quoted = !quoted
		case command[i] == ' ' && !quoted:
			words, from = append(words, command[from:i]), i+1
		}
	}
	return append(words, command[from:])
}

func more(n int, noun string) string {
	if noun == "" {
		return fmt.Sprintf("%d more", n)
	}
	return fmt.Sprintf("%d more %s", n, english.PluralWord(n, noun, ""))
}

// Markdown writes the list with at most so many items, and counts the others.
func (l *List) Markdown(w io.Writer, most int) {
	begin, end := "%s\n\n", ""
	if l.Folded {
		begin, end = "<details><summary>%s</summary>\n\n", "\n</details>\n"
	}
	fmt.Fprintf(w, begin, escape.Markdown(l.Title))
	for _, x := range l.Items[:min(most, len(l.Items))] {
		fmt.Fprintf(w, "- **%s** %s\n", escape.Markdown(strings.TrimSpace(x.Mark+" "+x.Kind)), escape.Markdown(x.Text))
	}
	if n := len(l.Items) - most; n > 0 {
		fmt.Fprintf(w, "- … and %d more\n", n)
	}
	fmt.Fprintln(w, end)
}

// least returns how many lines an earlier list leaves to this one: its title, for a table also the
// first row, for a section also a line and the count of the others, or an equal share.
func (l *List) least(p style.Palette, columns, share int) int {
	const rows = 7 // lines of a table that shows two rows
	all, title := len(l.render(p, columns, Lines))+1, len((&List{Title: l.Title}).render(p, columns, Lines))+1
	switch {
	case l.Table == nil && l.Section == nil:
		return min(max(2, l.Least), all)
	case l.Table != nil && share < rows: // an earlier table shows more, and this one its first row
		for most := range Lines {
			if n := len(table.Fit(l.Table, p, columns, most)); n > 1 {
				return title + n
			}
		}
		return title + 1
	case l.Section != nil:
		share = max(share, title+2)
	}
	return min(share, all)
}

// joined has each heading as the beginning of its first item, and no other items: a list with
// headings in the fewest lines.
func (l *List) joined() *List {
	short := List{Title: l.Title}
	for i, x := range l.Items {
		if i > 0 && l.Items[i-1].Heading {
			x.Text = l.Items[i-1].Kind + ": " + x.Text
			short.Items = append(short.Items, x)
		}
	}
	return &short
}

// render returns the lines of a list: its title, and as many items as fit.
func (l *List) render(p style.Palette, columns, most int) []string {
	w := writer{Palette: p, columns: columns}
	w.wrapped(style.Strong, escape.Terminal(l.Title), "", 2)
	room := most - len(w.lines)
	if l.Table != nil {
		w.lines = append(w.lines, table.Fit(l.Table, p, columns, room)...)
	}
	if l.Section != nil {
		lines := l.Section.Terminal(p, columns)
		if n := len(lines) - room; n > 0 && l.Section.Tail {
			lines = append([]string{"  …"}, lines[min(n+1, len(lines)):]...)
		} else if n > 0 {
			lines = append(lines[:max(0, room-1)], "  … and "+more(n+1, "line"))
		}
		w.lines = append(w.lines, lines...)
	}
	total, blocks, noun := 0, l.blocks(p, columns, 1), ""
	if linesOf(blocks) > room && slices.ContainsFunc(l.Items, func(x Item) bool { return x.Heading }) {
		l, noun = l.joined(), "group"
		blocks = l.blocks(p, columns, 1)
	}
	for long := 2; long <= itemLines; long++ { // what room is left is for the first items
		for i, b := range l.blocks(p, columns, long) {
			if linesOf(blocks)-len(blocks[i])+len(b) <= room {
				blocks[i] = b
			}
		}
	}
	for i, b := range blocks {
		reserve := min(1, len(blocks)-1-i) // the line that counts the items left out
		if total+len(b)+reserve > room {
			if n := findings(l.Items[i:]); i > 0 {
				w.lines = append(w.lines, "  … and "+more(n, noun))
			} else if !titleCounts.MatchString(l.Title) {
				w.lines[len(w.lines)-1] += fmt.Sprintf(": %d", n)
			}
			break
		}
		w.lines, total = append(w.lines, b...), total+len(b)
	}
	return w.lines
}

// findings counts items, without those that only say more about the one before.
func findings(list []Item) int {
	n := collect.Count(list, func(x Item) bool { return x.Kind != "" || x.Mark != "" || x.Heading })
	return cmp.Or(n, len(list))
}

func linesOf(blocks [][]string) (n int) {
	for _, b := range blocks {
		n += len(b)
	}
	return n
}

// blocks returns the lines of each item, at most so many, in columns of marks, kinds and texts.
func (l *List) blocks(p style.Palette, columns, long int) (blocks [][]string) {
	marks, kinds := 0, 0
	for _, x := range l.Items {
		if x.Heading {
			continue
		}
		marks, kinds = max(marks, twwidth.Width(x.Mark)), max(kinds, twwidth.Width(escape.Terminal(x.Kind)))
	}
	for _, x := range l.Items {
		if x.Heading {
			w := writer{Palette: p, columns: columns}
			w.wrapped(x.Tone, " "+escape.Terminal(x.Text), "  ", 1)
			blocks = append(blocks, w.lines)
			continue
		}
		prefix := strings.Repeat(" ", 1+marks-twwidth.Width(x.Mark)) + x.Mark
		if marks > 0 {
			prefix += " "
		}
		before, kind := prefix, escape.Terminal(x.Kind)
		if kinds > 0 {
			prefix += kind + strings.Repeat(" ", kinds-twwidth.Width(kind)+2)
		}
		w, text := writer{columns: columns}, escape.Terminal(x.Text)
		hang := twwidth.Width(prefix) + len(text) - len(strings.TrimLeft(text, " "))
		w.wrapped(style.Plain, prefix+text, strings.Repeat(" ", hang), long)
		w.lines[0] = before + p.Paint(x.Tone, kind) + strings.TrimPrefix(w.lines[0], before+kind)
		blocks = append(blocks, w.lines)
	}
	return blocks
}
