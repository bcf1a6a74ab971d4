package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
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
		{
			"every character escaped", `\u0073\u006b\u002D\u0063\u0061\u006e\u0061\u0072\u0079\u002f\u0030\u0031\u0032\u0033`,
			"[redacted]",
		},
		{"escaped as in a URL", "?key=sk%2dcanary%2F0123&", "?key=[redacted]&"},
		{"beyond ASCII", `org+\u00e4öü.99`, "[redacted]"},
		{"a part of it", "sk-canary/012", "sk-canary/012"},
		{"a pattern is no pattern", "org+äöüx99", "org+äöüx99"},
		{"escaped twice as in JSON", `\"sk\\u002dcanary\\/0123\"`, `\"[redacted]\"`},
		{"by many backslashes", `sk-canary\\\\\\\\\\\\/0123`, "[redacted]"},
		{"by bytes", `sk\x2dcanary\x2F0123`, "[redacted]"},
		{"escaped twice as in a URL", "?key=sk%252Dcanary%252f0123&", "?key=[redacted]&"},
		{"escaped in HTML", "sk&#45;canary&#x2F;0123, sk&hyphen;canary&sol;0123", "[redacted], sk&hyphen;canary&sol;0123"},
		{"named in HTML", "&lt;sk-canary&sol;0123&gt;", "&lt;[redacted]&gt;"},
		{"escaped twice in HTML", "sk&amp;#45;canary&amp;amp;#47;0123", "[redacted]"},
		{"in hexadecimal", "736b2d63616E6172792f30313233", "[redacted]"},
		{"base64 of it", "c2stY2FuYXJ5LzAxMjM=", "[redacted]M="},
		{
			"base64, one byte before", "Onlz" + base64.StdEncoding.EncodeToString([]byte(":sk-canary/0123.")),
			"OnlzOn[redacted]Lg==",
		},
		{"base64, two bytes before", base64.URLEncoding.EncodeToString([]byte("::sk-canary/0123")), "Ojp[redacted]w=="},
		{"base64 of other letters", "C2STy2fUyxj5lZaXmJm=", "C2STy2fUyxj5lZaXmJm="},
		{"base64 in JSON", base64.StdEncoding.EncodeToString([]byte("org+äöü.99")), "[redacted]Q=="},
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
		markup, err := json.Marshal(around+secret+around, jsontext.EscapeForHTML(true))
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(string(plain))
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{
			around + secret, string(plain), string(markup), string(again), url.PathEscape(secret), html.EscapeString(secret),
			hex.EncodeToString([]byte(around + secret)),
			base64.StdEncoding.EncodeToString([]byte(around + secret + around)),
			base64.RawURLEncoding.EncodeToString([]byte(around + secret)),
		}
		if !strings.ContainsAny(secret, "%&") { // what looks like an escape is found where it is escaped once
			texts = append(texts, url.QueryEscape(url.PathEscape(secret)), html.EscapeString(html.EscapeString(secret)))
		}
		for _, text := range texts {
			if got := secrets.Text(text); !strings.Contains(got, redact.Mark) {
				t.Errorf("%q came through as %q", text, got)
			}
		}
	})
}

// TestStream: a secret in pieces is cut, and what is left comes out as before.
func TestStream(t *testing.T) {
	secrets := redact.New("sk-canary/0123")
	delta := func(choice int, text string) string {
		return fmt.Sprintf(`data: {"choices":[{"delta":{"content":%q},"index":%d}],"created":1700000000,"id":"x"}`, text,
			choice)
	}
	lines := func(l ...string) string { return strings.Join(l, "\n\n") + "\n\ndata: [DONE]\n\n" }
	tests := []struct{ name, body, want string }{
		{"no stream", "a sk-canary/0123", "a [redacted]"},
		{"nothing to cut", lines(delta(0, "sk-"), delta(0, "other")), lines(delta(0, "sk-"), delta(0, "other"))},
		{
			"in three pieces", lines(delta(0, "my sk-ca"), delta(0, "nar"), delta(0, "y/0123."), delta(0, "!")),
			lines(delta(0, "my [redacted].!"), delta(0, ""), delta(0, ""), delta(0, "")),
		},
		{
			"between two choices", lines(delta(0, "sk-ca"), delta(1, "other"), delta(0, "nary/0123")),
			lines(delta(0, "[redacted]"), delta(1, "other"), delta(0, "")),
		},
		{
			"arguments of a call", `data: {"a":[{"arguments":"{\"k\":\"sk-can"}]}` + "\r\n" +
				`data:{"a":[{"arguments":"ary\\/0123\"}"}]}`,
			`data: {"a":[{"arguments":"{\"k\":\"[redacted]\"}"}]}` + "\r\n" + `data: {"a":[{"arguments":""}]}`,
		},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, secrets.Stream(tt.body)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// BenchmarkText is the time for 7 MB: of a reply, and of what is made to be slow.
func BenchmarkText(b *testing.B) {
	secrets := redact.New("sk-canary-0123456789-0123456789-0123456789", "org-0123456789", "proj-0123456789")
	for name, piece := range map[string]string{
		"reply": `{"id": "step_1", "description": "Search the log\n of the process", "status": "done"},`, "backslashes": `\`,
		"percents": "%", "encoded": "%25", "ampersands": "&",
		"entities": "&amp;", "nearly": "sk-canary-0123456789-0123456789-012345678", "beyond ASCII": "計画の手順",
		"base64": "c2stY2FuYXJ5LTAxMjM0NTY3ODktMDEyMzQ1Njc4OQ",
	} {
		text := strings.Repeat(piece, 7<<20/len(piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secrets.Stream(text)
			}
		})
	}
}

// FuzzStream checks that the secret in none of the texts comes out, and that what
// has none comes out as it came in.
func FuzzStream(f *testing.F) {
	f.Add("sk-canary/0123", `data: {"a": "sk-"}`+"\n"+`data: {"a": "canary\\u002f0123"}`)
	f.Add(`a%41\u0041&amp;\\`, "%2525252541 &amp;amp;amp;lt; \\\\\\\\u0041")
	f.Fuzz(func(t *testing.T, secret, text string) {
		secrets := redact.New(secret)
		got := secrets.Stream(text)
		if len(secret) >= redact.Shortest && !strings.Contains(redact.Mark, secret) && utf8.ValidString(secret) &&
			strings.Contains(secrets.Text(text), secret) {
			t.Errorf("%q came through in %q", secret, got)
		}
		if len(secret) < redact.Shortest && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
