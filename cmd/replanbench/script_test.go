package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"replanbench/harness/mcp/testdata/toyserver"
	"replanbench/harness/testdata/agenttest"
	"replanbench/harness/testdata/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(program{m}, map[string]func(){
		"replanbench": func() { os.Exit(mainCode()) },
		"toyagent":    func() { os.Exit(agenttest.Main("")) }, // an agent without a bug
		"toyserver": func() { // a task server, with the bug that TOY_SERVER names
			if toyserver.Main(os.Getenv("TOY_SERVER")) != nil {
				os.Exit(1)
			}
		},
	})
}

// program is the tests with replanbench on their path. Under the race detector
// that would be this test binary, many times slower than what users run, and
// the scripts start it hundreds of times: they get the program as it is built
// for users. The races are looked for by the tests that run commands in this
// process, TestCommandsUnderRace above all, and with REPLANBENCH_TEST_LONG set
// by the scripts as well.
type program struct{ *testing.M }

func (p program) Run() int {
	goCommand, err := exec.LookPath("go")
	if err != nil || os.Getenv("REPLANBENCH_TEST_LONG") != "" || !raceDetector() {
		return p.M.Run()
	}
	dir, err := os.MkdirTemp("", "replanbench-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command(goCommand, "build", "-buildvcs=false", "-o", dir+string(os.PathSeparator), ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n%s", build, err, out)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return p.M.Run()
}

// raceDetector says whether this test binary was built with -race.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// concurrent are the scripts in which most runs at once. TestCommandsUnderRace goes through the other commands.
var concurrent = []string{
	"agent_bad", "agent_good", "causes", "engine", "engine_crash", "fuzz_choice", "live", "live_run", "mcp", "shards",
}

// TestScript runs the command line as its users do. Each file of
// testdata/script is one story; -run TestScript/NAME picks one, and -update
// rewrites the outputs that "cmp" compares with.
func TestScript(t *testing.T) { scripts(t, true) }

// TestScriptInBulk is TestScript for the other stories.
func TestScriptInBulk(t *testing.T) { scripts(t, false) }

func scripts(t *testing.T, atOnce bool) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) <= len(concurrent) {
		t.Fatal(files, err)
	}
	testscript.Run(t, testscript.Params{
		Files: slices.DeleteFunc(files, func(file string) bool {
			return slices.Contains(concurrent, strings.TrimSuffix(filepath.Base(file), ".txtar")) != atOnce
		}),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       golden.Update(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", os.Getenv("GORACE")) // see the Makefile
			testdata, err := filepath.Abs("testdata")
			e.Setenv("TESTDATA", testdata)
			e.Setenv("GOCACHE", goCache()) // for scripts that build an engine
			return err
		},
		Condition: func(name string) (bool, error) {
			if name != "strips-types" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return exec.Command("node", "-e", "process.exit(process.features.typescript ? 0 : 1)").Run() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"largefile": largeFile,
			"fill":      fill,
			"replace":   replace,

			"samereport": sameReport,
		},
	})
}

// sameReport holds two reports to be the same, byte for byte, but for the environment:
// samereport FILE FILE.
func sameReport(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samereport FILE FILE")
	}
	environment := regexp.MustCompile(`(?s)\n  "environment": \{.*?\n  \}`)
	var texts [2]string
	for i, name := range args {
		texts[i] = environment.ReplaceAllString(ts.ReadFile(name), "")
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		ts.Fatalf("%s and %s differ:\n%.4000s", args[0], args[1], diff)
	}
}

// goCache is where the go command keeps what it built.
func goCache() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output() // scripts that need it skip without go
	return strings.TrimSpace(string(out))
}

// exits runs a program, which must end with the exit code given:
// exits CODE PROGRAM ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var x *exec.ExitError
		if !errors.As(err, &x) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = x.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// largeFile makes a file of some MiB without writing its bytes:
// largefile NAME MIB.
func largeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: largefile NAME MIB")
	}
	mib, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(f.Truncate(mib << 20))
	ts.Check(f.Close())
}
