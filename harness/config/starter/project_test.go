package starter_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"replanbench/harness/config"
	"replanbench/harness/config/starter"
	"replanbench/harness/engine/adapters"
)

// projects returns a project for each language, and one without an adapter.
func projects(t *testing.T) map[string]starter.Project {
	list := map[string]starter.Project{"none": {}}
	for _, a := range adapters.All() {
		list[a.Language] = starter.Project{Adapter: &a, Dialects: adapters.Dialects{Replies: []string{"planpatch"}}}
	}
	for name, p := range list {
		p.Dir, p.Ref, p.Overwrite = t.TempDir(), "main", func(string) bool { return true }
		list[name] = p
	}
	return list
}

// TestWorkflows lints every workflow that init writes, and checks that every action is pinned.
func TestWorkflows(t *testing.T) {
	action := regexp.MustCompile(`uses: [a-z][^ ]*/[^ ]*@(\S+)`)
	commit := regexp.MustCompile(`^[0-9a-f]{40}$`)
	clusters := starter.Clusters()
	for name, p := range projects(t) {
		p.Server = true
		for i := range clusters {
			p.Cluster = &clusters[i]
			p.Agents = []starter.Agent{{Name: "small", Package: "@small/agent", Command: []string{"small", "-p", "fix the tests"}}}
			if _, err := p.Write(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, ".github", "workflows", "*.yml"))
		if err != nil || len(files) != 4 {
			t.Fatalf("%s: want four workflows, have %v (%v)", name, files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			faults, err := linter.Lint(file, data, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faults {
				t.Errorf("%s: %v", name, f)
			}
			uses := action.FindAllSubmatch(data, -1)
			if len(uses) == 0 {
				t.Errorf("%s: %s uses no action", name, filepath.Base(file))
			}
			for _, m := range uses {
				if !commit.Match(m[1]) {
					t.Errorf("%s: %s is not pinned by commit", name, m[0])
				}
			}
		}
	}
}

// TestConfiguration reads the configuration that init writes: a gate on the user's engine alone.
func TestConfiguration(t *testing.T) {
	for name, p := range projects(t) {
		if _, err := p.Write(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data, err := os.ReadFile(filepath.Join(p.Dir, config.FileName))
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(config.FileName, data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(c.Engine.Command) == 0 {
			t.Errorf("%s: the gate would test the reference", name)
		}
		if p.Adapter != nil && (c.Suites.Corpora.Run || c.Suites.Trim.Run || len(c.Dialects) != 1) {
			t.Errorf("%s: the gate runs more than the dialects of the adapter", name)
		}
		first, _, _ := bytes.Cut(data, []byte("\n"))
		_, schema, ok := strings.Cut(string(first), "$schema=")
		if _, err := os.Stat(filepath.Join(p.Dir, schema)); !ok || err != nil {
			t.Errorf("%s: the first line %q names no schema: %v", name, first, err)
		}
	}
}
