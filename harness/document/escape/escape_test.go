package escape_test

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"replanbench/harness/document/escape"
)

func TestTerminal(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"step_1: 修复 é 👩‍💻 नमस्ते", "step_1: 修复 é 👩‍💻 नमस्ते"},
		{"a\nb\r\tc", `a\nb\r\tc`},
		{"\x1b[31mred\x07", `\x1b[31mred\x07`},
		{"\u009b31m", `\u009b31m`},
		{"abc\u202edef\u2066", `abc\u202edef\u2066`},
		{"a\u200bb\ufeff\u00ad", `a\u200bb\ufeff\u00ad`},
		{"step\u200d_1", `step\u200d_1`},
		{"\u0080\u200c", `\u0080\u200c`},
		{"\xff\xc3(", `\xff\xc3(`},
		{"\u2028\u2029\U000e0041", `\u2028\u2029\U000e0041`},
		{"\ufffd", "\ufffd"},
	} {
		if got := escape.Terminal(test.in); got != test.want {
			t.Errorf("Terminal(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// TestUnlike keeps what differs where texts are cut.
func TestUnlike(t *testing.T) {
	words := strings.Repeat("word ", 20)
	for _, test := range []struct{ a, b, wantA, wantB string }{
		{"a b", "a c", "a b", "a c"},
		{words + "one", words + "two", "… one", "… two"},
		{words, words + "more", "… ", "… more"},
		{"x" + words, "y" + words, "xword word word wor…", "yword word word wor…"},
		{words + "one " + words, "nothing", "word word word word…", "nothing"},
		{strings.Repeat("é", 30) + "a", strings.Repeat("é", 30) + "b", "…éééa", "…éééb"},
	} {
		if a, b := escape.Unlike(test.a, test.b, 20); a != test.wantA || b != test.wantB {
			t.Errorf("Unlike(%q, %q) = %q, %q, want %q, %q", test.a, test.b, a, b, test.wantA, test.wantB)
		}
	}
}

func TestTerminalIsHarmlessAndIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		got := escape.Terminal(s)
		if escape.Terminal(got) != got {
			t.Fatalf("Terminal(Terminal(%q)) differs", s)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("Terminal(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("Terminal(%q) lets %U through", s, r)
			}
		}
	})
}

func TestMarkdown(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"<b>|*x*_y_`z`\\#1~@me&amp;\x1b", "&lt;b&gt;\\|\\*x\\*\\_y\\_\\`z\\`\\\\\\#1\\~\\@me&amp;amp;\\\\x1b"},
		{"45.0 [33.2–57.4] (n = 80)", "45.0 [33.2–57.4] (n = 80)"},
		{"replanbench run --known a-b", "replanbench run --known a-b"},
		{"see [here](http://x) ![i](y) [a][b] [a]: z", `see [here\](http://x) ![i\](y) [a\][b] [a\]: z`},
		{"[a]: http://x", `\[a\]: http://x`},
		{"[ ] task", `\[ ] task`},
		{"- item", `\- item`},
		{"+ item", `\+ item`},
		{"1. item", `1\. item`},
		{"12) item", `12\) item`},
		{"---", `\---`},
		{"1.5", "1.5"},
		{"-4.6 [-8.0, -1.2]", "-4.6 [-8.0, -1.2]"},
		{"--by model", `\--by model`},
		{"12", "12"},
		{"", ""},
	} {
		if got := escape.Markdown(test.in); got != test.want {
			t.Errorf("Markdown(%q)\ngot  %s\nwant %s", test.in, got, test.want)
		}
	}
}

func TestFence(t *testing.T) {
	got := escape.Fence("diff", "+ ````\n")
	if want := "`````diff\n+ ````\n`````\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		in    string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"修复计划", 4, "修复计划"}, {"修复计划!", 4, "修复计…"}, {"", 1, ""}} {
		if got := escape.Cut(test.in, test.limit); got != test.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.in, test.limit, got, test.want)
		}
	}
}

func TestShell(t *testing.T) {
	args := []string{"plain", "a b", "it's", "", "$HOME", "a\nb", "*", "\x1b[31m'%", "a\n\n", "\n"}
	want := `plain 'a b' 'it'\''s' '' '$HOME' "$(printf 'a\012b')" '*' "$(printf '\033\13331m\047\045')" ` +
		`"$(printf 'a')${IFS#??}${IFS#??}" "$(printf '')${IFS#??}"`
	if got := escape.Shell(args...); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh to read the line with")
	}
	out, err := exec.Command(sh, "-c", `for a in `+want+`; do printf '%s\0' "$a"; done`).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSuffix(string(out), "\x00"); got != strings.Join(args, "\x00") {
		t.Errorf("a shell reads %q", got)
	}
}
