package redact

import (
	"html"
	"strings"
	"unicode/utf8"
)

// spelling is a character, and how many bytes of a text stand for it; 0 is none.
type spelling struct {
	r     rune
	bytes int
}

// plain reports whether a byte stands for itself alone.
func plain(c byte) bool { return c < utf8.RuneSelf && c != '\\' && c != '%' && c != '&' }

// spellings are what the text at a place may stand for.
type spellings [3]spelling

// spelled reads the character at a place as it stands there, and where an escape
// begins as what that means, read to the end and read once.
func spelled(text string, at int) (all spellings) {
	text = text[at:]
	r, size := utf8.DecodeRuneInString(text)
	all[0] = spelling{r, size}
	switch r {
	case '\\':
		all[1], all[2] = backslashed(text)
	case '%':
		all[1] = percent(text)
		if strings.HasPrefix(text, "%25") {
			all[2] = spelling{'%', 3}
		}
	case '&':
		all[1] = entity(text)
		if strings.HasPrefix(text, "&amp;") {
			all[2] = spelling{'&', 5}
		}
	}
	return all
}

// backslashed reads what any number of backslashes make of what follows them: the
// character of a number, and the one that stands there.
func backslashed(text string) (number, plain spelling) {
	n := 0
	for n < len(text) && text[n] == '\\' {
		n++
	}
	if n == len(text) {
		return spelling{}, spelling{}
	}
	digits := 0
	switch text[n] {
	case 'u':
		digits = 4
	case 'x':
		digits = 2
	}
	if v, ok := hexadecimal(text[n+1:], digits); ok {
		number = spelling{v, n + 1 + digits}
	}
	r, size := utf8.DecodeRuneInString(text[n:])
	return number, spelling{r, n + size}
}

// hexadecimal reads a number of so many digits, at least one.
func hexadecimal(text string, digits int) (v rune, ok bool) {
	if len(text) < digits || digits == 0 {
		return 0, false
	}
	for _, c := range []byte(text[:digits]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | rune(c)
	}
	return v, true
}

// percent reads a character of a URL, whose percent signs may be escaped
// themselves.
func percent(text string) spelling {
	var bytes [utf8.UTFMax]byte
	at := 0
	for n := range bytes {
		if at == len(text) || text[at] != '%' {
			return spelling{}
		}
		at++
		for strings.HasPrefix(text[at:], "25") && escapeFollows(text[at+2:]) {
			at += 2
		}
		v, ok := hexadecimal(text[at:], 2)
		if !ok {
			return spelling{}
		}
		at += 2
		bytes[n] = byte(v)
		if utf8.FullRune(bytes[:n+1]) {
			r, _ := utf8.DecodeRune(bytes[:n+1])
			return spelling{r, at}
		}
	}
	return spelling{}
}

// escapeFollows reports whether 25 is an escaped percent sign, by what comes next.
func escapeFollows(text string) bool {
	_, ok := hexadecimal(text, 2)
	return ok
}

// entity reads a character of HTML, whose ampersand may be escaped itself, as far
// as that gives a character.
func entity(text string) (deepest spelling) {
	for at := 1; ; at += len("amp;") {
		end := name(text[at:])
		if end == 0 {
			return deepest
		}
		plain := html.UnescapeString("&" + text[at:at+end])
		if r, size := utf8.DecodeRuneInString(plain); size == len(plain) {
			deepest = spelling{r, at + end}
		}
		if plain != "&" || !strings.HasPrefix(text[at:], "amp;") {
			return deepest
		}
	}
}

// name returns the length of the name of an entity, with the semicolon at its end;
// 0 is none.
func name(text string) int {
	const longest = 34
	for i := range min(len(text), longest) {
		switch c := text[i]; {
		case c == ';' && i > 0:
			return i + 1
		case c != '#' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z'):
			return 0
		}
	}
	return 0
}
