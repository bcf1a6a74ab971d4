package score

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseColumns(t *testing.T) {
	for _, tc := range []struct{ names, want, err string }{
		{"benchmark", "parse apply fallback failed danger tokens saving", ""},
		{"parse_rate, apply", "parse apply", ""},
		{"apply benchmark", "", `unknown column "apply benchmark"`},
		{"tokens,benchmark,tokens", "tokens parse apply fallback failed danger saving", ""},
		{"reply_tokens,apply_rate_after_retry", "reply_tokens apply_rate_after_retry", ""},
		{"benchmark_rate", "", `unknown column "benchmark_rate"`},
		{"savings", "", `did you mean "saving"?`},
		{"", "", `unknown column ""`},
	} {
		got, err := ParseColumns(strings.Split(tc.names, ","))
		if d := cmp.Diff(tc.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q (-want +got):\n%s", tc.names, d)
		}
		if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
			t.Errorf("%q: error %v, want %q", tc.names, err, tc.err)
		}
	}
}

// TestEveryColumn parses every listed name, so that a list and the parser agree.
func TestEveryColumn(t *testing.T) {
	for _, c := range Columns() {
		if _, err := ParseColumns([]string{c.Name}); err != nil || c.Text == "" {
			t.Errorf("%s (%q): %v", c.Name, c.Text, err)
		}
	}
}
