package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/config"
	"replanbench/harness/engine/byname"
)

// TestRewrite writes the settings of an engine into a file, and keeps the rest.
func TestRewrite(t *testing.T) {
	said := byname.Engine{
		Profile: []string{"conflicts=keep", "ladder=patch,retry"}, Codes: "exact",
		Without: []string{"title"},
	}
	for _, tc := range []struct{ name, file, want string }{
		{
			"the keys are there", "engine:\n  # why\n  command: [x]\n  profile:\n    - strict\n  # and that\n  codes: " +
				"any\nworkers: 3\n",
			"engine:\n  without: [title]\n  # why\n  command: [x]\n  profile: [\"conflicts=keep\", \"ladder=patch,retry\"]\n " +
				" # and that\n  codes: exact\nworkers: 3\n",
		},
		{
			"there is no engine", "workers: 3\n",
			"engine:\n  without: [title]\n  codes: exact\n  profile: [\"conflicts=keep\", \"ladder=patch,retry\"]\nworkers: 3\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "replanbench.yaml")
			if err := os.WriteFile(name, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := config.Rewrite(name, said)
			if d := cmp.Diff(tc.want, string(got)); d != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		got, err := config.Rewrite(filepath.Join(t.TempDir(), "none.yaml"), said)
		if err != nil || !strings.Contains(string(got), "\n  codes: exact\n") ||
			!strings.Contains(string(got), "\n  gives: []\n") {
			t.Errorf("%v:\n%s", err, got)
		}
	})
	t.Run("on one line", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "replanbench.yaml")
		if err := os.WriteFile(name, []byte("engine: {use: reference}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Rewrite(name, said); err == nil ||
			!strings.Contains(err.Error(), ":1: engine: write its keys on lines of their own") {
			t.Errorf("got %v", err)
		}
	})
}
