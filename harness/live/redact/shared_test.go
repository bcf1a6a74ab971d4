package redact_test

import (
	"errors"
	"log"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/live/redact"
)

func TestShared(t *testing.T) {
	var secrets redact.Shared
	var out strings.Builder
	logger := log.New(secrets.Writer(&out), "", 0)
	logger.Print("before: sk-canary/0123")
	secrets.Add("sk-canary/0123")
	secrets.Add("org-canary-99")
	logger.Printf("after: %q", "\x00 sk-canary/0123 org-canary-99")
	want := "before: sk-canary/0123\nafter: \"\\x00 [redacted] [redacted]\"\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	var none *redact.Shared
	none.Add("sk-canary/0123")
	if got := none.Text("sk-canary/0123"); got != "sk-canary/0123" {
		t.Errorf("without secrets: %q", got)
	}
}

// full is a writer with room for so many bytes.
type full int

var errFull = errors.New("full")

func (f full) Write(p []byte) (int, error) {
	if len(p) > int(f) {
		return int(f), errFull
	}
	return len(p), nil
}

// TestSharedWriterCounts checks that callers get the count of their own bytes.
func TestSharedWriterCounts(t *testing.T) {
	var secrets redact.Shared
	secrets.Add("sk-canary/0123456789")
	text := []byte("key sk-canary/0123456789")
	if n, err := secrets.Writer(full(100)).Write(text); n != len(text) || err != nil {
		t.Errorf("%d, %v; want %d", n, err, len(text))
	}
	if n, err := secrets.Writer(full(3)).Write(text); n != 3 || !errors.Is(err, errFull) {
		t.Errorf("%d, %v; want 3 and the error", n, err)
	}
}

func TestAddress(t *testing.T) {
	for address, want := range map[string][]string{
		"http://host/path":                       nil,
		"http://user:password@host/":             {"password"},
		"http://token@host/":                     {"token"},
		"http://host/?api_key=k1&dialect=todos":  {"k1"},
		"http://host/?Token=t1&token=t2&other=x": {"t1", "t2"},
		":":                                      nil,
	} {
		got := redact.Address(address)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", address, diff)
		}
	}
}
