package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"replanbench/harness"
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

// quoted writes a string: a word of the documents as it is, anything else as
// the name of its place among the strings.
func (s *skeleton) quoted(text string, isName bool) {
	switch text {
	case "type", "title", "steps", "verification_policy", "remove_steps", "update_steps", "add_steps", "reason",
		"id", "description", "dependencies", "status", "tools_expected",
		"PlanPatch", "FullPlan", "pending", "in_progress", "done", "blocked", "failed",
		"plan_metadata", "operations", "add", "modify", "remove", "reorder", "step_id", "step_data", "position", "name",
		"parameters", "version", "history", "running", "completed", "skipped",
		"role", "content", "tool_calls", "tool_call_id", "tag", "system", "user", "assistant", "tool":
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
