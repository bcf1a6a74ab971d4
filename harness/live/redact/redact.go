// Package redact removes secrets, such as the keys of endpoints, from foreign text
// before the text reaches a file or a terminal.
//
// A secret is found in upper and lower case; with characters escaped as in JSON (by
// any number of backslashes), URLs (any number of times) or HTML; in hexadecimal;
// in base64, at any offset of the encoded text; and in pieces, if an answer came in
// pieces ([Secrets.Stream]). It is not found if it was changed in another way:
// encrypted, compressed, reversed, mixed with other characters, or encoded twice in
// two different ways.
package redact

import (
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Mark stands in the place of a secret.
const Mark = "[redacted]"

// Shortest is how many bytes a secret has at least. What is shorter, such as
// the "none" that servers without keys are given, is no secret, and cutting it
// out would tear replies apart.
const Shortest = 8

// Secrets finds secrets in text. The zero value finds none.
type Secrets struct {
	needles []needle
	first   [utf8.RuneSelf][]needle // by the ASCII character that they begin with
	wide    []needle                // that begin with another
}

// needle is one form of a secret.
type needle struct {
	runes []rune
	exact bool // letters of the other case are others
}

// New returns what finds these secrets.
func New(secrets ...string) Secrets {
	var s Secrets
	for _, secret := range secrets {
		if len(secret) < Shortest {
			continue
		}
		s.add(secret, false)
		s.add(hex.EncodeToString([]byte(secret)), false)
		for shift := range 3 {
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				s.add(core(encoding, secret, shift), true)
			}
		}
	}
	return s
}

// core is what of a text in base64 does not depend on the bytes around it, of
// which there are shift in the first group.
func core(encoding *base64.Encoding, text string, shift int) string {
	encoded := encoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + text))
	return encoded[(8*shift+5)/6 : 8*(shift+len(text))/6]
}

func (s *Secrets) add(text string, exact bool) {
	n := needle{exact: exact}
	for _, r := range text {
		n.runes = append(n.runes, n.fold(r))
	}
	s.needles = append(s.needles, n)
	if n.runes[0] >= utf8.RuneSelf {
		s.wide = append(s.wide, n)
	}
	for c := range s.first {
		if n.fold(rune(c)) == n.runes[0] {
			s.first[c] = append(s.first[c], n)
		}
	}
}

// starting returns what may begin with a character.
func (s *Secrets) starting(r rune) []needle {
	if r < utf8.RuneSelf {
		return s.first[r]
	}
	return s.wide
}

// fold gives letters that are the same one form.
func (n *needle) fold(r rune) rune {
	if n.exact {
		return r
	}
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// Text returns the text with Mark in the place of every secret. It takes time in
// proportion to the text.
func (s Secrets) Text(text string) string {
	if s.needles == nil {
		return text
	}
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text); {
		end := s.match(text, i)
		if end == i {
			i++
			continue
		}
		b.WriteString(text[kept:i])
		b.WriteString(Mark)
		i, kept = end, end
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// match returns the end of the longest secret that begins at a place, or the place.
func (s *Secrets) match(text string, at int) (end int) {
	end = at
	if c := text[at]; plain(c) {
		for i := range s.first[c] {
			n := &s.first[c][i]
			end = max(end, n.rest(text, at+1, n.runes[1:]))
		}
		return end
	}
	if text[at] == '\\' && at > 0 && text[at-1] == '\\' {
		return at // the run of backslashes has been looked at as a whole
	}
	for _, c := range spelled(text, at) {
		list := s.starting(c.r)
		for i := range list {
			if n := &list[i]; c.bytes > 0 && n.fold(c.r) == n.runes[0] {
				end = max(end, n.rest(text, at+c.bytes, n.runes[1:]))
			}
		}
	}
	return end
}

// rest returns where the last of these characters ends, if they stand at a place,
// or -1.
func (n *needle) rest(text string, at int, runes []rune) int {
	if len(runes) == 0 {
		return at
	}
	if at == len(text) {
		return -1
	}
	if c := text[at]; plain(c) {
		if n.fold(rune(c)) != runes[0] {
			return -1
		}
		return n.rest(text, at+1, runes[1:])
	}
	for _, c := range spelled(text, at) {
		if c.bytes == 0 || n.fold(c.r) != runes[0] {
			continue
		}
		if end := n.rest(text, at+c.bytes, runes[1:]); end >= 0 {
			return end
		}
	}
	return -1
}

// Shared finds secrets that become known while a program runs. A nil Shared finds none.
// It is safe for concurrent use.
type Shared struct {
	mu      sync.RWMutex
	known   []string
	secrets Secrets
}

// Add adds secrets.
func (s *Shared) Add(secrets ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = append(s.known, secrets...)
	s.secrets = New(s.known...)
}

// Text returns the text as [Secrets.Text] does.
func (s *Shared) Text(text string) string {
	if s == nil {
		return text
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.secrets.Text(text)
}

// Writer returns a writer that redacts every text before it writes it to w. It does not
// find a secret that two calls of Write split.
func (s *Shared) Writer(w io.Writer) io.Writer { return writer{s, w} }

type writer struct {
	secrets *Shared
	to      io.Writer
}

func (w writer) Write(p []byte) (int, error) {
	text := w.secrets.Text(string(p))
	n, err := io.WriteString(w.to, text)
	if n == len(text) || n > len(p) {
		n = len(p)
	}
	return n, err
}

// Address returns the secrets in the address of an endpoint: the password, or the user
// if there is no password, and the parameters with names such as key or token.
func Address(address string) (secrets []string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	} else if u.User != nil {
		secrets = append(secrets, u.User.Username())
	}
	secret := regexp.MustCompile(`(?i)key|token|secret|sig|pass|auth|cred|code`)
	for name, values := range u.Query() {
		if secret.MatchString(name) {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}
