package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReasons fails if equivalent.txt names a place that the rules do not have.
func TestReasons(t *testing.T) {
	t.Chdir("../..")
	if _, err := readReasons("cmd/mutants/equivalent.txt"); err != nil {
		t.Error(err)
	}
}

func TestSitesIn(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"comparison", `ok = a < 1`, []string{`"ok = a < 1" → ""`, `"a < 1" → "a <= 1"`, `"1" → "2"`}},
		{"message", `fail(a+1, "a is %d", a+2)`, []string{
			`"fail(a+1, \"a is %d\", a+2)" → ""`, `"a+1" → "a - 1"`,
			`"1" → "2"`,
		}},
		{"no place", `return -1`, []string{`"-1" → "0"`}},
		{"capacity", `m := make(map[string]int, 1)`, nil},
		{"panic", `if a == b { panic("a is b") }`, nil},
		{"equal changes", `b, c := a+1, a+1`, []string{
			`"a+1" → "a - 1"`, `"1" → "2"`, `"a+1" → "a - 1" (2)`,
			`"1" → "2" (2)`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "a.go"), []byte("package a\n\nfunc f() { "+test.body+" }\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
			sites, err := target{folder: folder}.sites()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range sites {
				got = append(got, s.change())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
