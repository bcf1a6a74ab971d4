package redact

import (
	"io"
	"net/url"
	"regexp"
	"sync"
)

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
