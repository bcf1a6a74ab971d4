// Package escape makes foreign text harmless where it is shown: plans, model
// replies and engine messages may hold control characters, terminal sequences,
// marks that turn the direction of writing, or bytes that are not UTF-8.
//
// It is for text that people read. JSON and CSV have encoders of their own.
package escape

import (
	"fmt"
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
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case !hostile(r, before):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		before = r
		i += n
	}
	return b.String()
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
// flavour): as [Terminal], and no character has a meaning to Markdown or HTML
// any more.
func Markdown(s string) string {
	var b strings.Builder
	for _, r := range Terminal(s) {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '\\', '`', '*', '_', '{', '}', '[', ']', '(', ')', '#', '+', '-', '!', '|', '~', '@':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
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

// Fence returns a code block of Markdown that holds the lines given, which
// must have been made harmless already; nothing in them can close it.
func Fence(language, lines string) string {
	fence := "```"
	for strings.Contains(lines, fence) {
		fence += "`"
	}
	return fence + language + "\n" + lines + fence + "\n\n"
}

// Shell joins arguments to a command line of a POSIX shell.
func Shell(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.Trim(a, safeInShell) != "" {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const safeInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"
