package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replanbench/harness/dialect/all"
)

// goProject is a module of a user: its directory, and the go command in it,
// which asks no network.
type goProject struct {
	t   *testing.T
	dir string
}

func newGoProject(t *testing.T) goProject {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not there to build a project with")
	}
	p := goProject{t, t.TempDir()}
	p.write("go.mod", "module example.com/planner\n\ngo 1.26\n")
	return p
}

func (p goProject) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p goProject) copy(name, from string) {
	p.t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(name, string(data))
}

// run runs a program in the project; env is added to the environment.
func (p goProject) run(env []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(p.t.Context(), program, args...)
	cmd.Dir = p.dir
	cmd.Env = append(append(os.Environ(), "GOPROXY=off", "GOWORK=off"), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The Go planner of the tour is tested from a module of
// its own: what it does is found, what it does well passes, and subtests can be
// picked by their names.
func TestTutorialInGo(t *testing.T) {
	t.Parallel()
	p := newGoProject(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	p.copy("go.sum", "../../go.sum")
	for _, name := range []string{"planner.go", "planner_test.go"} {
		p.copy(name, filepath.Join("testdata/tour/go", name))
	}
	if out, err := p.run(nil, "go", "mod", "edit", "-require", "replanbench@v0.0.0", "-replace", "replanbench="+
		root); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := p.run(nil, "go", "test", "-mod=mod", "-c", "-o", "planner.test", "."); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := p.run(nil, "./planner.test", "-test.v", "-test.run",
		"TestPlanner/campaign/planpatch/(deps-exist|within-limit)$")
	for _, want := range []string{
		`--- FAIL: TestPlanner/campaign/planpatch/deps-exist `,
		`--- PASS: TestPlanner/campaign/planpatch/within-limit `,
		`(?m)^ +reply +\{"type":"PlanPatch","remove_steps":\["\w+"\]\}$`,
	} {
		if err == nil || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%v: the output lacks %s:\n%s", err, want, out)
		}
	}
	if out, err := p.run(nil, "./planner.test", "-test.v", "-test.run",
		"TestPlanner/scenarios/planpatch/conflicts"); err != nil ||
		!strings.Contains(out, "which the engine declares to be without") {
		t.Errorf("%v: what the engine is without fails, or is not named:\n%s", err, out)
	}
}

// The adapter for Go becomes a program of the user's module that calls the
// user's own package.
func TestGoAdapter(t *testing.T) {
	t.Parallel()
	p := newGoProject(t)
	p.copy("planner.go", "testdata/tour/go/planner.go")
	if code, out, message := call(t.Context(), "init", "--adapter", "go", "--dir", p.dir); code != exitOK {
		t.Fatalf("init: exit code %d: %s%s", code, out, message)
	}
	file := filepath.Join(p.dir, "planner-engine", "main.go")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), `	return Result{}, errors.New("fill in the function applyReply in the adapter")`, `	var p planner.Plan
	if err := json.Unmarshal(plan, &p); err != nil {
		return Result{}, err
	}
	fmt.Println("this goes to standard error")
	p, err := planner.Apply(p, reply)
	if err != nil {
		return Result{}, &Rejected{"empty_patch", err.Error()}
	}
	document, err := json.Marshal(p)
	return Result{Plan: document}, err`, 1)
	text = strings.Replace(text, `without() []string { return []string{} }`,
		`without() []string { return []string{"add", "update", "title", "full plan"} }`, 1)
	text = strings.Replace(text, "import (", "import (\n\t\"example.com/planner\"\n", 1)
	p.write("planner-engine/main.go", text)
	if out, err := p.run(nil, "go", "vet", "./..."); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := p.run(nil, "go", "build", "-o", "planner-engine/", "./planner-engine"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := p.run(nil, "replanbench", "engine", "check", "--verbose", "--", "./planner-engine/planner-engine")
	if err != nil || !strings.Contains(out, ": applied, as its rules require") {
		t.Errorf("%v: %s", err, out)
	}
	out, err = p.run(nil, "replanbench", "fuzz", "--quiet", "--cases", "60", "--traits", "orphan-by-removal",
		"--max-findings", "1", "--", "./planner-engine/planner-engine")
	if err == nil || !strings.Contains(out, "Leaves a dependency on a removed step") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestFirstScenario runs the scenario that init writes for each dialect: the reference passes it.
func TestFirstScenario(t *testing.T) {
	t.Parallel()
	for _, dialect := range all.Names() {
		dir := t.TempDir()
		for _, args := range [][]string{
			{"init", "--adapter", "python", "--dialect", dialect, "--dir", dir}, {"run", filepath.Join(dir, "scenarios")},
		} {
			if code, out, message := call(t.Context(), args...); code != exitOK {
				t.Errorf("%s: %s: exit code %d: %s%s", dialect, args[0], code, out, message)
			}
		}
	}
}
