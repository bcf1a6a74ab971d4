// Package redact cuts secrets, such as the keys of endpoints, out of text that
// others wrote, before the text reaches a file or a terminal.
package redact

import (
	"fmt"
	"regexp"
	"strings"
)

// Mark stands in the place of a secret.
const Mark = "[redacted]"

// Shortest is how many bytes a secret has at least. What is shorter, such as
// the "none" that servers without keys are given, is no secret, and cutting it
// out would tear replies apart.
const Shortest = 8

// Secrets finds secrets in text. The zero value finds none.
type Secrets struct{ pattern *regexp.Regexp }

// New returns what finds these secrets, in letters of either case, and also
// where some of their characters are escaped as in JSON or in a URL.
func New(secrets ...string) Secrets {
	var each []string
	for _, secret := range secrets {
		if len(secret) >= Shortest {
			each = append(each, spellings(secret))
		}
	}
	if each == nil {
		return Secrets{}
	}
	return Secrets{regexp.MustCompile("(?i)" + strings.Join(each, "|"))}
}

// spellings matches a text with any of its characters escaped.
func spellings(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `(?:\\?%s|\\u%04x|%%%02x)`, regexp.QuoteMeta(string(r)), r, r)
	}
	return b.String()
}

// Text returns the text with Mark in the place of every secret.
func (s Secrets) Text(text string) string {
	if s.pattern == nil {
		return text
	}
	return s.pattern.ReplaceAllLiteralString(text, Mark)
}
