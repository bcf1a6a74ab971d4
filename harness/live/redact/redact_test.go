package redact_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"replanbench/harness/live/redact"
)

func TestText(t *testing.T) {
	secrets := redact.New("sk-canary/0123", "none", "", "org+äöü.99")
	tests := []struct{ name, text, want string }{
		{"none there", "a reply", "a reply"},
		{"plain", "key sk-canary/0123, and sk-canary/0123", "key [redacted], and [redacted]"},
		{"in lower case", "text/SK-Canary/0123", "text/[redacted]"},
		{"escaped as in JSON", `sk\u002dcanary\/0123`, "[redacted]"},
		{"every character escaped", `\u0073\u006b\u002D\u0063\u0061\u006e\u0061\u0072\u0079\u002f\u0030\u0031\u0032\u0033`, "[redacted]"},
		{"escaped as in a URL", "?key=sk%2dcanary%2F0123&", "?key=[redacted]&"},
		{"beyond ASCII", `org+\u00e4öü.99`, "[redacted]"},
		{"a part of it", "sk-canary/012", "sk-canary/012"},
		{"a pattern is no pattern", "org+äöüx99", "org+äöüx99"},
		{"too short for a secret", "none of the steps", "none of the steps"},
	}
	for _, tt := range tests {
		if got := secrets.Text(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := (redact.Secrets{}).Text("sk-canary/0123"); got != "sk-canary/0123" {
		t.Errorf("without secrets: %q", got)
	}
}

// TestNoSpellingPasses: however a library writes the secret into JSON or a URL,
// it does not come through.
func TestNoSpellingPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ -~]{8,30}`).Draw(t, "secret")
		around := rapid.StringMatching(`[a-z{}" ]{0,10}`).Draw(t, "around")
		secrets := redact.New(secret)
		plain, err := json.Marshal(around + secret + around)
		if err != nil {
			t.Fatal(err)
		}
		html, err := json.Marshal(around+secret+around, jsontext.EscapeForHTML(true))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{around + secret, string(plain), string(html), url.PathEscape(secret)} {
			if got := secrets.Text(text); !strings.Contains(got, redact.Mark) {
				t.Errorf("%q came through as %q", text, got)
			}
		}
	})
}
