package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	testscript.Main(tests{m}, map[string]func(){
		"replanbench": func() { os.Exit(mainCode()) },
		"toyagent":    func() { os.Exit(agenttest.Main("")) }, // an agent without a bug
		"toyserver": func() { // a task server, with the bug that TOY_SERVER names
			if toyserver.Main(os.Getenv("TOY_SERVER")) != nil {
				os.Exit(1)
			}
		},
	})
}

// tests are the tests of the package, without the commands that TestMain adds.
type tests struct{ *testing.M }

// Run puts the folder of the interpreter first in PATH where python3 is a shell script that
// starts it, as with pyenv. The script takes longer than the interpreter, and the tests
// start hundreds of engines, agents and servers.
func (m tests) Run() int {
	path, err := exec.LookPath("python3")
	if script, _ := os.ReadFile(path); err == nil && strings.HasPrefix(string(script), "#!") {
		out, _ := exec.Command(path, "-c", "import os, sys; print(os.path.dirname(sys.executable), end='')").Output()
		_ = os.Setenv("PATH", string(out)+string(os.PathListSeparator)+os.Getenv("PATH")) // without it the tests take longer
	}
	return m.M.Run()
}

// TestScript runs the command line as its users do. Each file of
// testdata/script is one story; -run TestScript/NAME picks one, and -update
// rewrites the outputs that "cmp" compares with.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       golden.Update(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", os.Getenv("GORACE")) // see the Makefile
			testdata, err := filepath.Abs("testdata")
			e.Setenv("TESTDATA", testdata)
			e.Setenv("GOCACHE", goCache()) // for scripts that build an engine
			e.Setenv("GOFLAGS", os.Getenv("GOFLAGS"))
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
