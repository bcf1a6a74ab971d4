package adapters_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/engine/adapters"
)

// Each adapter has one marked place to fill in, and in it the function that is
// named.
func TestMarked(t *testing.T) {
	rule := regexp.MustCompile(`(?m)^(#|//) -{20,}$`)
	for _, a := range adapters.All() {
		parts := rule.Split(string(a.Source(adapters.Dialects{})), -1)
		if len(parts) != 3 || !strings.Contains(parts[1], "YOUR CODE") || !strings.Contains(parts[1], " "+a.Function+"(") || !strings.Contains(parts[1], " "+a.Whole+"(") {
			t.Errorf("%s: the functions %s and %s are not between two marks", a.File, a.Function, a.Whole)
		}
		for _, line := range strings.Split(string(a.Source(adapters.Dialects{})), "\n") {
			if len(line) > 100 {
				t.Errorf("%s: a line of %d characters: %s", a.File, len(line), line)
			}
		}
	}
}

// An adapter is written for the dialects that are asked for.
func TestDialects(t *testing.T) {
	for _, a := range adapters.All() {
		two := string(a.Source(adapters.Dialects{Replies: []string{"one"}, Cases: []string{"two", "three"}}))
		if strings.Count(two, `"one"`) != 1 || strings.Count(two, `"two", "three"`) != 1 || strings.Contains(two, "DIALECTS\"") {
			t.Errorf("%s: the dialects are not listed once each", a.File)
		}
		want := [][]string{{a.Function}, {a.Whole}, {a.Function, a.Whole}}
		one := []string{"one"}
		got := [][]string{a.ToFill(adapters.Dialects{Replies: one}), a.ToFill(adapters.Dialects{Cases: one}), a.ToFill(adapters.Dialects{Replies: one, Cases: one})}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: to fill in (-want +got):\n%s", a.File, diff)
		}
	}
}

func TestFind(t *testing.T) {
	for _, a := range adapters.All() {
		if got, err := adapters.Find(a.Language); err != nil || got.File != a.File {
			t.Errorf("%s: got %+v, %v", a.Language, got, err)
		}
	}
	if _, err := adapters.Find("cobol"); err == nil || !strings.Contains(err.Error(), "python, node, go") {
		t.Errorf("got %v, want the languages that there are", err)
	}
}

// The adapters keep to the oldest versions of the languages that they promise.
func TestSyntax(t *testing.T) {
	for _, tc := range []struct {
		language string
		command  []string // the file's name is added
	}{
		{"python", []string{"python3", "-c", `import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))`}},
		{"node", []string{"node", "--check"}},
	} {
		t.Run(tc.language, func(t *testing.T) {
			if _, err := exec.LookPath(tc.command[0]); err != nil {
				t.Skipf("%s is not installed", tc.command[0])
			}
			a, err := adapters.Find(tc.language)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), a.File)
			if err := os.WriteFile(file, a.Source(adapters.Dialects{}), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(tc.command[0], append(tc.command[1:], file)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
