package jinja

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape reads the escapes of a string literal as Python does; unknown ones
// stand for themselves.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	const simple, meaning = `\'"abfnrtv`, "\\'\"\a\b\f\n\r\t\v"
	var b strings.Builder
	for s != "" {
		c := s[0]
		s = s[1:]
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		c, s = s[0], s[1:]
		if i := strings.IndexByte(simple, c); i >= 0 {
			b.WriteByte(meaning[i])
			continue
		}
		switch c {
		case '\n':
		case 'x', 'u', 'U':
			n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			r, err := strconv.ParseUint(s[:min(n, len(s))], 16, 32)
			if err != nil || len(s) < n || !utf8.ValidRune(rune(r)) {
				return "", faultf(`\%c needs %d hexadecimal digits of a character`, c, n)
			}
			b.WriteRune(rune(r))
			s = s[n:]
		case 'N', '0', '1', '2', '3', '4', '5', '6', '7':
			return "", unsupportedf(`the escape \%c in a string is not supported`, c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}
