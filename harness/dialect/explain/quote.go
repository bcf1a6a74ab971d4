package explain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
)

const (
	longestText = 400 // in characters
	longestID   = 60
	around      = 32 // columns on each side of a position in long lines
)

// Text shortens a long text.
func Text(s string) string { return escape.Cut(s, longestText) }

// Texts shortens two different texts and keeps their first difference.
func Texts(a, b string) (string, string) { return escape.Unlike(a, b, longestText) }

// ID shortens a long id. It quotes one that begins or ends with white space, or has two spaces in a
// row: readers see them then.
func ID(s string) string {
	if strings.TrimSpace(s) != s || strings.Contains(s, "  ") {
		s = strconv.Quote(s)
	}
	return escape.Cut(s, longestID)
}

// quote shows a line of a text with a mark under the column.
func (s *Section) quote(name, text string, line, column int, pointer string) {
	where := fmt.Sprintf("at %s:%d:%d", name, line, column)
	if pointer != "" {
		where += "  " + Text(pointer)
	}
	s.Add("", 1, style.Faint, "%s", where)
	quoted, ok := lineOf(text, line)
	if !ok {
		return
	}
	before, after := split(quoted, column-1)
	mark := max(1, twwidth.Width(escape.Terminal(token(after))))
	before, after = escape.Terminal(before), escape.Terminal(after)
	if twwidth.Width(before+after) > 2*around {
		before, after = lastColumns(before), firstColumns(after)
	}
	number := fmt.Sprintf("%5d | ", line)
	s.Add("", 1, style.Plain, "%s", number+before+after)
	pad := strings.Repeat(" ", len(number)-2) + "| " + strings.Repeat(" ", twwidth.Width(before))
	s.Add("", 1, style.Bad, "%s", pad+strings.Repeat("^", min(mark, max(1, twwidth.Width(after)))))
}

// Columns is how many columns a line of a quoted document has.
const Columns = 76

// Quoted returns a section with a reply or a document, or the beginning of a long one.
func Quoted(title, text string) Section {
	const most = 24
	section := Section{Title: title}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		for first := true; first || line != ""; first = false {
			if len(section.Lines) == most {
				section.Add("", 0, style.Faint, "…")
				return section
			}
			var head string
			head, line = split(line, Columns)
			if i := strings.LastIndexByte(head, ' ') + 1; line != "" && i > Columns/2 { // after a word
				head, line = head[:i], head[i:]+line
			}
			section.Add("", 0, style.Plain, "%s", head)
		}
	}
	return section
}

// lineOf returns a line of a text, counted from 1.
func lineOf(text string, line int) (string, bool) {
	for n := range line {
		head, tail, more := strings.Cut(text, "\n")
		if n == line-1 {
			return strings.TrimSuffix(head, "\r"), true
		}
		if !more {
			break
		}
		text = tail
	}
	return "", false
}

// split cuts a text after n characters.
func split(s string, n int) (before, after string) {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at], s[at:]
}

// firstColumns and lastColumns cut escaped text to the columns quoted on one side.
func firstColumns(s string) string {
	columns := 0
	for i, r := range s {
		if columns += twwidth.Width(string(r)); columns > around {
			return s[:i] + "…"
		}
	}
	return s
}

func lastColumns(s string) string {
	columns, at := 0, len(s)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if columns += twwidth.Width(string(r)); columns > around {
			return "…" + s[at:]
		}
		at -= n
	}
	return s
}

// token returns the JSON token at the beginning of a text: a string, a literal, or one
// bracket.
func token(s string) string {
	if s == "" || s[0] == '{' || s[0] == '[' {
		return s[:min(1, len(s))]
	}
	if s[0] != '"' {
		if end := strings.IndexAny(s, ",:]} \t"); end >= 0 {
			return s[:max(1, end)]
		}
		return s
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1]
		}
	}
	return s
}

// hint adds a suggestion for a rejection.
func (s *Section) hint(text string) {
	if text != "" {
		s.Add("", 1, style.Faint, "hint: %s", text)
	}
}
