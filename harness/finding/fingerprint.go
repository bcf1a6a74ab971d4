package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// Fingerprint hashes what a finding is about: the check, the answers, and the
// shape of its case. The same bug met with other names and texts has the same
// fingerprint, if its cases shrink alike.
func Fingerprint(check, field, want, got string, c harness.Case) string {
	s := skeleton{names: map[string]string{}}
	fmt.Fprintln(&s, check, field, want, got, c.Dialect)
	for _, l := range c.Limits.All() {
		fmt.Fprintln(&s, *l.Value != nil)
	}
	for _, d := range c.Documents() {
		s.text(string(*d.Value))
	}
	for _, r := range c.Replies {
		s.text(string(r))
	}
	sum := sha256.Sum256([]byte(s.String()))
	return hex.EncodeToString(sum[:6])
}

// skeleton is a text in which every string has become s1, s2 … in the order
// of their first occurrence, and every other word or number one letter.
type skeleton struct {
	strings.Builder
	names map[string]string
}

func (s *skeleton) text(text string) {
	s.WriteByte('\n')
	for len(text) > 0 {
		if text[0] == '"' {
			if n := quoted(text); n > 0 {
				s.quoted(text[1:n-1], strings.HasPrefix(strings.TrimLeft(text[n:], " \t\r\n"), ":"))
				text = text[n:]
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case unicode.IsSpace(r):
		case unicode.IsLetter(r):
			n = run(text, unicode.IsLetter)
			s.WriteByte('w')
		case unicode.IsDigit(r):
			n = run(text, unicode.IsDigit)
			s.WriteByte('0')
		default:
			s.WriteString(text[:n])
		}
		text = text[n:]
	}
}

// run is the length of the runes at the start of which is holds.
func run(text string, is func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !is(r) }); n >= 0 {
		return n
	}
	return len(text)
}

// quoted is the length of the JSON string at the start of text, or 0.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// meaningful holds the words of all dialects' documents: a fingerprint does not
// depend on the dialect alone. It is made once and never written.
var meaningful = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, d := range all.Dialects() {
		for _, w := range d.Layout.Words {
			words[w] = true
		}
	}
	return words
})

// quoted writes a string: a word of the documents as it is, anything else as
// the name of its place among the strings.
func (s *skeleton) quoted(text string, isName bool) {
	if meaningful()[text] {
		s.WriteString(text)
		return
	}
	if isName {
		s.WriteByte('m')
		return
	}
	if s.names[text] == "" {
		s.names[text] = fmt.Sprintf("s%d", len(s.names)+1)
	}
	s.WriteString(s.names[text])
}

// objectIn returns what stands between the outermost braces, or "".
func objectIn(text string) string {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')+1
	if start < 0 || end <= start {
		return ""
	}
	return text[start:end]
}
