package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestProgress checks when a line is shown, and how.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name            string
		terminal, quiet bool
		since           time.Duration // the last line
		want            string
	}{
		{"terminal", true, false, progressRedraw, "\r\x1b[K3 of 7 cases"},
		{"terminal, a moment ago", true, false, 0, ""},
		{"elsewhere", false, false, progressEvery, "3 of 7 cases\n"},
		{"elsewhere, a second ago", false, false, time.Second, ""},
		{"quiet", true, true, progressEvery, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			p := newProgress(env{stderr: &b, errTerminal: c.terminal}, c.quiet)
			p.last = time.Now().Add(-c.since)
			p.counting("cases")(3, 7)
			if b.String() != c.want {
				t.Errorf("shown: %q, want %q", b.String(), c.want)
			}
			p.end()
			if cleared := strings.HasSuffix(b.String(), "\r\x1b[K"); cleared != (c.terminal && c.want != "") {
				t.Errorf("in the end: %q", b.String())
			}
		})
	}
}

// TestProgressTells writes lines that stay, whatever was shown a moment ago.
func TestProgressTells(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(env{stderr: &b, errTerminal: true}, false)
	p.last = time.Now().Add(-progressRedraw)
	p.show("line")
	p.tell("found: \x1b[31m")
	p.tell(strings.Repeat("word ", 19) + "word")
	p.last = time.Now().Add(-progressRedraw)
	p.show(strings.Repeat("long ", 20))
	p.end()
	want := "\r\x1b[Kline\r\x1b[Kfound: \\x1b[31m\n" + strings.Repeat("word ", 15) + "word\n  word word word word\n" +
		"\r\x1b[K" + strings.Repeat("long ", 15) + "lon…\r\x1b[K"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
