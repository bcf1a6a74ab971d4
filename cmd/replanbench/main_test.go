package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// call runs a command line in this process, without a terminal.
func call(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	e := env{stdin: strings.NewReader(""), stdout: &out, stderr: &err, getenv: func(string) string { return "" }}
	code = run(ctx, args, e)
	return code, out.String(), err.String()
}

// TestInterrupted checks that what was done is reported.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range [][]string{
		{"run"},
		{"check"},
		{"fuzz"},
		{"calibrate"},
		{"trim", "--cases", "10000000", "--tokenizer", "chars/4"},
	} {
		code, stdout, stderr := call(ctx, command...)
		if code != exitInterrupted || !strings.Contains(stdout, "INCOMPLETE") || stderr != "replanbench: interrupted\n" {
			t.Errorf("%s: exit code %d, standard error %q, standard output %q", command, code, stderr, stdout)
		}
	}
}

// TestCommandsUnderRace runs what has several workers once in this process, which
// make test-long watches with the race detector.
func TestCommandsUnderRace(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.txt")
	for _, tc := range []struct {
		code int
		args string
	}{
		{exitOK, "check --cases 40 --workers 4 --quiet"},
		{exitGate, "fuzz --cases 80 --workers 4 --traits done-remove --engine defect:removes-done-steps --max-findings 2 " +
			"--quiet"},
		{exitOK, "run --workers 4 --engine defect:accepts-cycle --write-known " + known},
		{exitOK, "run --workers 4 --timeout 5m --engines 2 -- replanbench engine serve"},
		{exitOK, "calibrate --defects removes-done-steps,accepts-cycle --seeds 2 --cases 400 --workers 4 --quiet"},
		{exitOK, "score --where run=l.t0.7.free.r1 --workers 4"},
		{exitOK, "compare builtin builtin --where run=l.t0.7.free.r1 --new-where run=l.t0.7.free.r2"},
		{exitOK, "trim --cases 10 --tokenizer chars/4 --workers 4"},
	} {
		if code, out, message := call(t.Context(), strings.Fields(tc.args)...); code != tc.code {
			t.Errorf("%s: exit code %d, want %d: %s%s", tc.args, code, tc.code, out, message)
		}
	}
}

// TestEveryCommandHelps checks that every command shows an example and says
// what it is for, and that its usage has flags before the command of an engine.
func TestEveryCommandHelps(t *testing.T) {
	root := newRoot(env{})
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example or no description", c.CommandPath())
		}
		code, stdout, _ := call(t.Context(), append(strings.Fields(c.CommandPath())[1:], "-h")...)
		if code != exitOK || !strings.Contains(stdout, "Examples:") {
			t.Errorf("%s -h: exit code %d, %q", c.CommandPath(), code, stdout)
		}
		if strings.Contains(c.Example, "  "+c.CommandPath()+" -- ") && !strings.Contains(c.UseLine(), "[flags] -- COMMAND") &&
			!strings.Contains(c.UseLine(), "[flags] [-- COMMAND]") {
			t.Errorf("%s: the usage has no command after the flags: %s", c.CommandPath(), c.UseLine())
		}
		for line := range strings.Lines(stdout) {
			if len(line) > 200 {
				t.Errorf("%s -h: a line of %d characters", c.CommandPath(), len(line))
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// TestOneCommand: of a command line that names a command, that one is made, and no other.
func TestOneCommand(t *testing.T) {
	for _, name := range commandNames(newRoot(env{})) {
		made := commandNames(newRoot(env{}, name))
		if !slices.Contains(made, name) {
			t.Errorf("%s is missing: %v", name, made)
		}
		// itself and the last two
		if few := 3; len(made) > few && !slices.Contains([]string{"man", "help", "completion"}, name) {
			t.Errorf("%s: %v were made, too", name, made)
		}
	}
}

func TestColour(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		vars     map[string]string
		want     bool
	}{
		{true, nil, true},
		{false, nil, false},
		{true, map[string]string{"NO_COLOR": "1"}, false},
		{true, map[string]string{"TERM": "dumb"}, false},
		{false, map[string]string{"FORCE_COLOR": "1"}, true},
		{false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{false, map[string]string{"FORCE_COLOR": "0"}, false},
		{true, map[string]string{"FORCE_COLOR": "0"}, false},
		{true, map[string]string{"CLICOLOR": "0"}, false},
		{true, map[string]string{"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, true},
		{false, map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, false},
	} {
		e := env{outTerminal: test.terminal, getenv: func(name string) string { return test.vars[name] }}
		if got := e.colour(); got != test.want {
			t.Errorf("terminal %t, %v: colour is %t", test.terminal, test.vars, got)
		}
	}
}

func TestColourOnATerminal(t *testing.T) {
	var out bytes.Buffer
	e := env{
		stdin: strings.NewReader(""), stdout: &out, stderr: &out, outTerminal: true,
		getenv: func(string) string { return "" },
	}
	if code := run(t.Context(), []string{"replay", "planpatch/documented/pending_step_removed"}, e); code != exitOK {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	if !strings.Contains(out.String(), "\x1b[32m") {
		t.Error("no colour on a terminal")
	}
}

func TestExitCodes(t *testing.T) {
	broken := errors.New("the engine was given up")
	for _, test := range []struct {
		err  error
		code int
		said string
	}{
		{nil, exitOK, ""},
		{gateFailed(), exitGate, ""},
		{usagef("no such file"), exitUsage, "replanbench: no such file\n"},
		{fmt.Errorf("a.txtar: %w", usagef("no such file")), exitUsage, "replanbench: a.txtar: no such file\n"},
		{broken, exitBroken, "replanbench: the engine was given up\n"},
		{errors.Join(broken, gateFailed()), exitBroken, "replanbench: the engine was given up\n"},
		{errors.Join(nil, gateFailed()), exitGate, ""},
		{
			usageError(errors.Join(errors.New("a:1:1: x"), errors.New("b:2:2: \x1b"))), exitUsage,
			"replanbench: a:1:1: x\nreplanbench: b:2:2: \\x1b\n",
		},
	} {
		var out bytes.Buffer
		if code := conclude(t.Context(), env{stderr: &out}, test.err); code != test.code || out.String() != test.said {
			t.Errorf("%v: exit code %d and %q, want %d and %q", test.err, code, out.String(), test.code, test.said)
		}
	}
	var out bytes.Buffer
	conclude(t.Context(), env{stderr: &out, getenv: func(name string) string {
		return map[string]string{"GITHUB_ACTIONS": "true"}[name]
	}}, errors.New("100% gone\x1b"))
	if want := "replanbench: 100% gone\\x1b\n::error title=replanbench::100%25 gone\\x1b\n"; out.String() != want {
		t.Errorf("in GitHub Actions: %q, expected %q", out.String(), want)
	}
}
