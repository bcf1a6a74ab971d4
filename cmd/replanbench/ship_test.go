package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// shipped reads a file of the repository as YAML.
func shipped(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestAction runs the command of the action as GitHub would, on a right engine and
// on a wrong one.
func TestAction(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to run the action's command with")
	}
	var action struct {
		Runs struct {
			Using string
			Steps []struct {
				Name, Shell, Run string
				Env              map[string]string
			}
		}
	}
	shipped(t, ".github/actions/check/action.yml", &action)
	script := ""
	for _, s := range action.Runs.Steps {
		if s.Run != "" && s.Shell != "bash" {
			t.Errorf("the step %q has no shell", s.Name)
		}
		if s.Name == "check" {
			script = s.Run
		}
	}
	if action.Runs.Using != "composite" || script == "" {
		t.Fatalf("the action is %+v", action)
	}
	for name, code := range map[string]int{"reference": 0, "defect": 1} {
		if name != "reference" {
			name = "defect:" + strings.Fields(must(exec.Command("replanbench", "list", "defects").Output()))[0]
		}
		out := t.TempDir()
		cmd := exec.Command(bash, "-e", "-c", script)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "OUT="+out, "ENGINE=", "NEW_FROM=", "ARGS=--cases 30 --engine "+name)
		said, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%s ends with %d (%v), want %d:\n%s", name, got, err, code, said)
		}
		for _, file := range []string{"replanbench.html", "replanbench.json", "replanbench.xml", "replanbench.sarif"} {
			if _, err := os.Stat(filepath.Join(out, file)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func must(out []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestPreCommitHook: the command of the hook is one of the program's.
func TestPreCommitHook(t *testing.T) {
	var hooks []struct{ ID, Entry, Language string }
	shipped(t, ".pre-commit-hooks.yaml", &hooks)
	for _, h := range hooks {
		words := strings.Fields(h.Entry)
		cmd, rest, err := newRoot(processEnv()).Find(words[1:])
		if err != nil || words[0] != "replanbench" || h.ID == "" || h.Language != "golang" {
			t.Errorf("the hook %+v: %v", h, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", h.Entry, err)
		}
	}
}

// TestDockerfile: it builds with the Go that go.mod asks for.
func TestDockerfile(t *testing.T) {
	read := func(name, pattern string) string {
		data := must(os.ReadFile(filepath.FromSlash(name)))
		m := regexp.MustCompile(pattern).FindStringSubmatch(data)
		if m == nil {
			t.Fatalf("%s has nothing like %s", name, pattern)
		}
		return m[1]
	}
	if image, module := read("Dockerfile", `(?m)^ARG GO=(\S+)`), read("../../go.mod", `(?m)^go (\d+\.\d+)`); image != module {
		t.Errorf("the image has Go %s, the module asks for %s", image, module)
	}
}
