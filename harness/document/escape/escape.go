// Package escape makes foreign text safe to show: plans, model replies and engine messages
// may contain control characters, terminal sequences, bidirectional marks and invalid
// UTF-8.
//
// It is for text for readers. JSON and CSV have their own encoders.
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terminal returns s for a single line of a terminal. It escapes every character that
// moves the cursor, changes colours, reorders or hides text (\n, \x1b, \u202e), and every
// byte that is not UTF-8. It keeps all other text.
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
			before = 0 // the escape is ASCII
		}
		i += n
	}
	return b.String()
}

// written returns the escape of a character or of an invalid byte.
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

// hostile reports whether a character affects the text around it: control characters
// (C0, C1), format characters such as bidirectional marks and zero-width characters, line
// separators, private use. It allows the joiners of emoji and some scripts, but not after
// ASCII, where they could only hide.
func hostile(r, before rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	if r == zeroWidthJoiner || r == zeroWidthNonJoiner {
		return before < utf8.RuneSelf
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// Markdown returns s for inline text and table cells of GitHub Flavored Markdown. It
// escapes like [Terminal], and escapes everything with a meaning in Markdown or HTML. It
// keeps harmless brackets and hyphens, so that the source of number tables is readable.
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

// marker returns the length of a list or rule marker at the beginning of a text: "- ",
// "---", "12. ".
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

// LaTeX returns s for text and table cells of LaTeX. It escapes like [Terminal], and
// escapes everything with a meaning in LaTeX. It replaces letters that pdflatex does not
// know by their code points.
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

// latexLetter reports whether pdflatex shows a letter with its default fonts: letters of
// Western and Central Europe.
func latexLetter(r rune) bool {
	return 0xc0 <= r && r <= 0xff && !strings.ContainsRune("ÐÞðþ×÷", r) ||
		strings.ContainsRune("ĂăĄąĆćČčĎďĘęĚěĞğĹĺĽľŁłŃńŇňŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž", r)
}

// latexCommands maps characters to LaTeX commands.
func latexCommands() map[rune]string {
	return map[rune]string{
		'█': `\rule{0.5em}{1.4ex}`, '░': `\rule{0.5em}{0.1ex}`, // bars
		'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
		'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
		'–': `--`, '—': `---`, '…': `\ldots{}`, '·': `$\cdot$`, '→': `$\rightarrow$`, '×': `$\times$`, '≥': `$\geq$`,
		'≤': `$\leq$`, '−': `$-$`,
	}
}

// Cut shortens s to at most limit characters, including a final "…".
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

// Head returns at most so many characters of a text, and an ellipsis for the rest.
func Head(s string, most int) string {
	if letters := []rune(s); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return s
}

// HeadBytes returns at most so many bytes of a text, and an ellipsis for the rest.
func HeadBytes(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Brief returns a text in one line, with at most so many characters and an ellipsis for the rest.
func Brief(s string, most int) string {
	return Head(strings.Join(strings.Fields(string([]rune(s))), " "), most)
}

// Lines makes each line of a text fit for a terminal, as [Terminal] does.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Terminal(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Unlike shortens two different texts like [Cut]. If this would remove the difference,
// both texts begin with "…" shortly before it.
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

// Fence returns a Markdown code block with the given lines, which must be escaped. The
// lines cannot close the block.
func Fence(language, lines string) string {
	fence := "```"
	for strings.Contains(lines, fence) {
		fence += "`"
	}
	return fence + language + "\n" + lines + fence + "\n\n"
}

// printf returns a shell command substitution that prints s, in ASCII letters. A substitution
// drops newlines at its end, so these come from IFS, which ends with one.
func printf(s string) string {
	var b strings.Builder
	kept := strings.TrimRight(s, "\n")
	for _, c := range []byte(kept) {
		if strings.IndexByte(safeInShell+" ", c) >= 0 && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return `"$(printf '` + b.String() + `')` + strings.Repeat("${IFS#??}", len(s)-len(kept)) + `"`
}

// Shell joins arguments to a command line of a POSIX shell. It writes arguments with
// unprintable characters with printf, so that [Terminal] keeps the line and users can
// paste it.
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
