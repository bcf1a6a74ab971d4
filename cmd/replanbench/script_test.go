package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"replanbench/harness/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"replanbench": func() { os.Exit(mainCode()) },
	})
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
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"largefile": largeFile,
			"fill":      fill,
			"replace":   replace,
		},
	})
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
// largefile NAME MIB
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
