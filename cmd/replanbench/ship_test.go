package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	script, here := "", must(filepath.Abs("../../.github/actions/check"))
	for _, s := range action.Runs.Steps {
		if s.Run != "" && s.Shell != "bash" {
			t.Errorf("the step %q has no shell", s.Name)
		}
		switch s.Name {
		case "install":
			// The package is named rather than installed, which would take minutes.
			cmd := exec.Command(bash, "-e", "-c", strings.Replace(s.Run, " install ", " list ", 1))
			cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+here)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "cmd/replanbench") {
				t.Errorf("%s installs %s: %v", s.Run, out, err)
			}
		case "check":
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

func must[T string | []byte](out T, err error) string {
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestWorkflow: what init writes for GitHub uses the action, which is there.
func TestWorkflow(t *testing.T) {
	dir := t.TempDir()
	must(exec.Command("replanbench", "init", "--dir", dir).Output())
	data := must(os.ReadFile(filepath.Join(dir, ".github", "workflows", "replanbench.yml")))
	var workflow struct {
		Jobs map[string]struct{ Steps []struct{ Uses, Run string } }
	}
	if err := yaml.Unmarshal([]byte(data), &workflow); err != nil {
		t.Fatal(err)
	}
	used := false
	for _, s := range workflow.Jobs["gate"].Steps {
		if path, ok := strings.CutPrefix(s.Uses, "./.replanbench/"); ok {
			_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(path), "action.yml"))
			used = err == nil
		}
	}
	if !used {
		t.Errorf("the workflow uses no action of this repository:\n%s", data)
	}
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

// TestRelease: a release holds this program, which knows its version, and files that exist.
func TestRelease(t *testing.T) {
	var release struct {
		Builds []struct {
			Main    string
			Ldflags []string
		}
		Archives []struct{ Files []struct{ Src string } }
	}
	shipped(t, ".goreleaser.yaml", &release)
	if len(release.Builds) != 1 || release.Builds[0].Main != "./cmd/replanbench" ||
		!strings.Contains(strings.Join(release.Builds[0].Ldflags, " "), "-X main.release={{ .Version }}") {
		t.Errorf("it builds %+v", release.Builds)
	}
	for _, a := range release.Archives {
		for _, f := range a.Files {
			if _, err := os.Stat(filepath.Join("..", "..", f.Src)); err != nil {
				t.Error(err)
			}
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
	if image, module := read("Dockerfile", `(?m)^ARG GO=(\S+)`),
		read("../../go.mod", `(?m)^go (\d+\.\d+)`); image != module {
		t.Errorf("the image has Go %s, the module asks for %s", image, module)
	}
	// What it copies out of the checkout is there, and what it builds is what it starts.
	for line := range strings.Lines(must(os.ReadFile("Dockerfile"))) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "COPY" || strings.HasPrefix(words[1], "--from") {
			continue
		}
		for _, source := range words[1 : len(words)-1] {
			if _, err := os.Stat(filepath.Join("..", "..", source)); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		}
	}
	built := read("Dockerfile", `go build .* -o (/\S+) \./cmd/replanbench`)
	if copied := read("Dockerfile", `COPY --from=build (\S+) /usr/local/bin/replanbench`); copied != built ||
		read("Dockerfile", `ENTRYPOINT \["(\w+)"\]`) != "replanbench" {
		t.Errorf("%s is built, %s is copied", built, copied)
	}
}

// TestRunners runs what init writes for the test runners of Python, Node and Go, against
// an engine with a defect: a cause is one failing test, and a known one fails nothing.
func TestRunners(t *testing.T) {
	for _, r := range []struct {
		language string
		look     [][]string // a command with which the runner answers, the first that does
		run      []string
		known    string // how it reports a known cause
	}{
		{
			"python",
			[][]string{{"python3", "-m", "pytest", "--version"}, {"/usr/bin/python3", "-m", "pytest", "--version"}},
			[]string{"-m", "pytest", "-rx", "-p", "no:cacheprovider", "-W", "error"},
			"XFAIL",
		},
		{
			"node",
			[][]string{{"node", "-e", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)"}},
			[]string{"--test", "--test-reporter=tap"},
			"# SKIP known: ",
		},
		{"go", [][]string{{"go", "version"}}, []string{"test", "./planner-engine"}, "known "},
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
			must("", os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/planner\n\ngo 1.24\n"), 0o600))
			if file := filepath.Join(dir, "planner-engine", "replanbench_test.go"); r.language == "go" { // it names its own engine
				text := strings.Replace(string(must(os.ReadFile(file))), `, "--engine", server.URL}`, "}", 1)
				must("", os.WriteFile(file, []byte(text), 0o600))
			}
			run := func(args string, more ...string) (out string, code int) {
				cmd := exec.Command(program, slices.Concat(r.run, more)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "REPLANBENCH_ARGS=--dialect planpatch --engine defect:accepts-cycle "+args)
				data, _ := cmd.CombinedOutput() // the exit code says how it went
				return string(data), cmd.ProcessState.ExitCode()
			}
			out, code := run("--cases 20 --report json=before.json")
			for _, want := range []string{
				"planpatch/graph/long_cycle", "expected ", "got ", "plan      ",
				"reproduce: replanbench replay ",
			} {
				if code != 1 || !strings.Contains(out, want) {
					t.Fatalf("it ends with %d and says no %q:\n%s", code, want, out)
				}
			}
			if n := strings.Count(out, "\n"); n > 200 {
				t.Errorf("it prints %d lines:\n%s", n, out)
			}
			var verbose []string
			if r.language == "go" {
				verbose = []string{"-v"}
			}
			if out, code := run("--cases 20 --earlier before.json", verbose...); code != 0 || !strings.Contains(out, r.known) {
				t.Errorf("with all failures known it ends with %d:\n%s", code, out)
			}
			if out, code := run("--cases 20 --earlier missing.json"); code != 1 || strings.Count(out, "missing.json") > 4 {
				t.Errorf("a gate that cannot run ends with %d and is not reported once:\n%s", code, out)
			}
			if out, _ := run("--cases 300"); !strings.Contains(out, "depends on itself, directly or through others\n") {
				t.Errorf("it does not say what is wrong in the example of a cause:\n%s", out)
			}
		})
	}
}

// TestModule moves a copy of the module to another path: every import follows.
func TestModule(t *testing.T) {
	if os.Getenv("REPLANBENCH_TEST_LONG") == "" {
		t.Skip("it copies the module; REPLANBENCH_TEST_LONG=1 runs it")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", ".."))); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"make", "module", "TO=example.org/some/replanbench"},
		{"go", "list", "-deps", "-test", "./..."},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if args[0] == "go" && (!strings.Contains(string(out), "example.org/some/replanbench/harness\n") ||
			strings.Contains(string(out), "\nreplanbench/")) {
			t.Error("some packages stay where they were")
		}
	}
}
