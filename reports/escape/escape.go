// Package escape makes foreign text harmless where it is shown: plans, model
// replies and engine messages may hold control characters, terminal sequences,
// marks that turn the direction of writing, or bytes that are not UTF-8.
//
// It is for text that people read. JSON and CSV have encoders of their own.
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terminal returns s for a single line of a terminal: every character that
// would move the cursor, change colours, reorder or hide text is shown as its
// escape (\n, \x1b, \u202e), and so is every byte that is not UTF-8. All other
// text stays as it is.
func Terminal(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	var before rune
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && n == 1
		if !bad && !hostile(r, before) {
			b.WriteRune(r)
			before = r
		} else {
			b.WriteString(written(r, s[i:i+n], bad))
			before = 0 // what stands there now is ASCII
		}
		i += n
	}
	return b.String()
}

// written is a character as its escape, or a byte that is none.
func written(r rune, text string, bad bool) string {
	switch {
	case bad:
		return fmt.Sprintf(`\x%02x`, text[0])
	case r < 0x80 && !strings.ContainsRune("\n\r\t", r):
		return fmt.Sprintf(`\x%02x`, r)
	}
	return strings.Trim(strconv.QuoteRuneToASCII(r), "'")
}

func clean(s string) bool {
	var before rune
	for _, r := range s {
		if r == utf8.RuneError || hostile(r, before) {
			return false
		}
		before = r
	}
	return true
}

// hostile reports whether a character does something to the text around it:
// control characters (C0, C1), format characters such as the marks of
// direction and zero-width characters, line separators, private use. Only the
// joiners that emoji and some scripts are written with are let through, and
// not behind ASCII, where they could only hide.
func hostile(r, before rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	if r == zeroWidthJoiner || r == zeroWidthNonJoiner {
		return before < utf8.RuneSelf
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// Markdown returns s for inline text and table cells of Markdown (GitHub's
// flavour): as [Terminal], and nothing in it has a meaning to Markdown or HTML
// any more. Brackets and hyphens that have none stay as they are, so that tables
// of numbers can be read in the source too.
func Markdown(s string) string {
	s = Terminal(s)
	var b strings.Builder
	if n := marker(s); n > 0 {
		b.WriteString(s[:n-1] + `\` + s[n-1:n])
		s = s[n:]
	}
	for i, r := range s {
		switch r {
		case '&':
			b.WriteString("&amp;")
			continue
		case '<':
			b.WriteString("&lt;")
			continue
		case '>':
			b.WriteString("&gt;")
			continue
		case '\\', '`', '*', '_', '#', '|', '~', '@':
			b.WriteByte('\\')
		case '[': // begins a definition
			if i == 0 {
				b.WriteByte('\\')
			}
		case ']': // ends the text of a link
			if i+1 < len(s) && strings.ContainsRune("([:", rune(s[i+1])) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// marker is the length of what makes the beginning of a text an item of a list
// or a rule: "- ", "---", "12. ".
func marker(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n == len(s) {
		return 0
	}
	marks := "-+"
	if n > 0 {
		marks = ".)"
	}
	mark := s[n]
	if !strings.ContainsRune(marks, rune(mark)) || n+1 < len(s) && s[n+1] != ' ' && s[n+1] != mark {
		return 0
	}
	return n + 1
}

// LaTeX returns s for text and table cells of LaTeX: as [Terminal], and nothing in it
// has a meaning to LaTeX any more. Letters that pdflatex does not know are shown by
// their code point.
func LaTeX(s string) string {
	var b strings.Builder
	var before rune
	commands := latexCommands()
	for _, r := range Terminal(s) {
		if strings.ContainsRune("-`',", r) && strings.ContainsRune("-`',?!", before) {
			b.WriteString("{}") // no ligature
		}
		before = r
		switch command, ok := commands[r]; {
		case ok:
			b.WriteString(command)
		case r < 0x80, latexLetter(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

// latexLetter reports whether pdflatex shows a letter with the fonts that every
// document has: the letters of Western and Central Europe.
func latexLetter(r rune) bool {
	return 0xc0 <= r && r <= 0xff && !strings.ContainsRune("ÐÞðþ×÷", r) || strings.ContainsRune("ĂăĄąĆćČčĎďĘęĚěĞğĹĺĽľŁłŃńŇňŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž", r)
}

// latexCommands maps a character to the LaTeX that shows it.
func latexCommands() map[rune]string {
	return map[rune]string{
		'█': `\rule{0.5em}{1.4ex}`, '░': `\rule{0.5em}{0.1ex}`, // bars
		'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
		'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
		'–': `--`, '—': `---`, '…': `\ldots{}`, '·': `$\cdot$`, '→': `$\rightarrow$`, '×': `$\times$`, '≥': `$\geq$`, '≤': `$\leq$`, '−': `$-$`,
	}
}

// Cut shortens s to at most limit characters, the last of which is then "…".
func Cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit-1 {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// Unlike shortens two texts that differ as [Cut] does, but where what differs would be
// cut off, both begin shortly before it, behind "…".
func Unlike(a, b string, limit int) (string, string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	lead := limit / 4
	if start := same - lead; start > 0 && max(len(a), len(b)) > limit {
		if blank := strings.IndexByte(a[start:same], ' '); blank >= 0 {
			start += blank
		}
		for start > 0 && !utf8.RuneStart(a[start]) {
			start--
		}
		a, b = "…"+a[start:], "…"+b[start:]
	}
	return Cut(a, limit), Cut(b, limit)
}

// Fence returns a code block of Markdown that holds the lines given, which
// must have been made harmless already; nothing in them can close it.
func Fence(language, lines string) string {
	fence := "```"
	for strings.Contains(lines, fence) {
		fence += "`"
	}
	return fence + language + "\n" + lines + fence + "\n\n"
}

// printf returns the command by which a shell prints s, in letters that every terminal
// shows.
func printf(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if strings.IndexByte(safeInShell+" ", c) >= 0 && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return `"$(printf '` + b.String() + `')"`
}

// Shell joins arguments to a command line of a POSIX shell. [Terminal] leaves it as it
// is, so that a user can paste it: an argument with characters that a terminal must not
// get is written with printf.
func Shell(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		switch {
		case !clean(a):
			quoted[i] = printf(a)
		case a == "" || strings.Trim(a, safeInShell) != "":
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const safeInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"
