package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
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
	for _, value := range c.Documents() {
		s.text(string(value))
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

// part is a string, a word, a number or white space.
var part = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?s:[^"\\]|\\.)*"|\p{L}+|\p{Nd}+|[\s\v\x{85}\p{Z}]+`)
})

func (s *skeleton) text(text string) {
	s.WriteByte('\n')
	for text != "" {
		at := part().FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		s.WriteString(text[:at[0]])
		found := text[at[0]:at[1]]
		text = text[at[1]:]
		switch r, _ := utf8.DecodeRuneInString(found); {
		case found == "":
		case r == '"':
			s.quoted(found[1:len(found)-1], strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), ":"))
		case unicode.IsLetter(r):
			s.WriteByte('w')
		case unicode.IsDigit(r):
			s.WriteByte('0')
		}
	}
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

// objectIn returns the text between the outermost braces, or "".
func objectIn(text string) string {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')+1
	if start < 0 || end <= start {
		return ""
	}
	return text[start:end]
}
