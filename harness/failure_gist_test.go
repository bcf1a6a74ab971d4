package harness_test

import (
	"strings"
	"testing"

	"replanbench/harness"
)

// TestGists: words of a case are not part of the gist of a failure.
func TestGists(t *testing.T) {
	for detail, want := range map[string]string{
		`answered with the error -32000: "TypeError: 'NoneType' object is not iterable"`: "TypeError … object is not iterable|TypeError … object is not iterable 'NoneType'",
		`answered with the error -32000: "KeyError: 'step_1'"`:                           "KeyError",
		`answered with the error -32000: "IndexError: list index 7 out of range"`:        "IndexError list index … out of range",
		`answered with the error -32000: "KeyError: 'steps'"`:                            "KeyError|KeyError 'steps'",
		`exited with status 1`: "exited with status",
	} {
		f := harness.Failure{Kind: harness.Crash, Detail: detail}
		if got := strings.Join(f.Gists(), "|"); got != want {
			t.Errorf("%s: %q, want %q", detail, got, want)
		}
	}
}
