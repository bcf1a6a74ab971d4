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

// TestRunners runs what init writes for the test runners of Python and Node, against
// an engine with a defect: a cause is one failing test, and a known one fails nothing.
func TestRunners(t *testing.T) {
	for _, r := range []struct {
		language string
		look     [][]string // a command with which the runner answers, the first that does
		run      []string
		known    string // how it says that a known cause is there
	}{
		{"python", [][]string{{"python3", "-m", "pytest", "--version"}, {"/usr/bin/python3", "-m", "pytest", "--version"}}, []string{"-m", "pytest", "-rx", "-p", "no:cacheprovider"}, "XFAIL"},
		{"node", [][]string{{"node", "-e", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)"}}, []string{"--test"}, "(known: "},
	} {
		t.Run(r.language, func(t *testing.T) {
			program := ""
			for _, look := range r.look {
				if program == "" && exec.Command(look[0], look[1:]...).Run() == nil {
					program = look[0]
				}
			}
			if program == "" {
				t.Skipf("the test runner of %s is not installed", r.language)
			}
			dir := t.TempDir()
			must(exec.Command("replanbench", "init", "--adapter", r.language, "--dir", dir).Output())
			run := func(args string) (out string, code int) {
				cmd := exec.Command(program, r.run...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "REPLANBENCH_ARGS=--dialect planpatch --cases 20 --engine defect:accepts-cycle "+args)
				data, _ := cmd.CombinedOutput() // the exit code says how it went
				return string(data), cmd.ProcessState.ExitCode()
			}
			out, code := run("--report json=before.json")
			for _, want := range []string{"planpatch/graph/long_cycle", "expected  ", "got       ", "plan      ", "reproduce: replanbench replay "} {
				if code != 1 || !strings.Contains(out, want) {
					t.Fatalf("it ends with %d and says no %q:\n%s", code, want, out)
				}
			}
			if out, code := run("--new-from before.json"); code != 0 || !strings.Contains(out, r.known) {
				t.Errorf("with all failures known it ends with %d:\n%s", code, out)
			}
		})
	}
}
