//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"replanbench/reports"
)

// An interrupt ends a campaign with what was done so far, and no process of the
// engine is left behind, whatever it does. The engines write into a file what
// they are asked, so that the interrupt comes when they are at work.
func TestInterrupt(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"engine":{"name":"stuck"},"dialects":{"planpatch":{}}}}`
	for _, tc := range []struct {
		name, engine string
		processes    int // that the engine starts
		signals      []os.Signal
	}{
		{"engine at work", "echo $$ >>pids; tee -a asked | replanbench engine serve", 2, []os.Signal{os.Interrupt}},
		{"the terminal is closed", "echo $$ >>pids; tee -a asked | replanbench engine serve", 2, []os.Signal{syscall.SIGHUP}},
		{
			"quit from the keyboard", "echo $$ >>pids; tee -a asked | replanbench engine serve", 2,
			[]os.Signal{syscall.SIGQUIT},
		},
		{"engine that hangs, ignores TERM and has a child", `trap "" TERM; echo $$ >>pids; read -r _; echo '` + hello +
			`'; sleep 1000 & echo $! >>pids; read -r line; echo "$line" >>asked; wait`, 2, []os.Signal{os.Interrupt}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if slices.ContainsFunc(tc.signals, signal.Ignored) {
				t.Skip("the signal is ignored here, as under nohup, and so it is in what is started here")
			}
			dir := t.TempDir()
			cmd := exec.Command("replanbench", "fuzz", "--time", "10m", "--timeout", "10m", "--quiet", "--engines", "2",
				"--dir", "found", "--", "sh", "-c", tc.engine)
			cmd.Dir = dir
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitForText(t, filepath.Join(dir, "asked"), `"method":"eval"`, 1)
			pids := strings.Fields(waitForText(t, filepath.Join(dir, "pids"), "\n", tc.processes))
			for _, s := range tc.signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("ended with %v, want exit code %d; standard error: %s", err, exitInterrupted, &stderr)
			}
			for _, pid := range pids {
				wantGone(t, pid)
			}
			wantPartialReport(t, filepath.Join(dir, "found", "report.json"))
		})
	}
}

// A second interrupt ends everything at once, whatever the engine does and
// wherever its children have gone.
func TestInterruptAgain(t *testing.T) {
	dir := t.TempDir()
	const hello = `{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"engine":{"name":"stuck"},"dialects":{"planpatch":{}}}}`
	away := "setsid sh -c 'echo $$ >>pids; exec sleep 1000' &"
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		away = "echo $$ >>pids"
	}
	script := `trap "" TERM HUP INT; echo $$ >>pids; read -r _; echo '` + hello + `'; ` + away + `
read -r line; echo "$line" >>asked; wait; sleep 1000`
	cmd := exec.Command("replanbench", "fuzz", "--time", "10m", "--timeout", "10m", "--quiet", "--", "sh", "-c", script)
	cmd.Dir = dir
	// A test that runs in the background of a script ignores interrupts, and so would what it starts.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, filepath.Join(dir, "asked"), `"method":"eval"`, 1)
	pids := strings.Fields(waitForText(t, filepath.Join(dir, "pids"), "\n", 2))
	for range 2 {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // one signal that comes while another is there is the same
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v", err)
	}
	for _, pid := range pids {
		wantGone(t, pid)
	}
}

// soon is how long something that must happen may take on a loaded machine.
const soon = 5 * time.Minute

// eventually waits until something is so.
func eventually(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	for begun := time.Now(); !isSo(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > soon {
			t.Fatalf("after %v still not: %s", soon, what)
		}
	}
}

// wantGone checks that a process has ended. One that was killed may need a
// moment, and where init is slow in place of its parent, it stays in the table
// of processes as a zombie.
func wantGone(t *testing.T, text string) {
	t.Helper()
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process "+text+" of the engine is gone", func() bool {
		err := syscall.Kill(pid, 0)
		stat, _ := os.ReadFile("/proc/" + text + "/stat") // empty where there is none
		return errors.Is(err, syscall.ESRCH) || bytes.Contains(stat, []byte(") Z "))
	})
}

// waitForText waits until an engine has written a text so many times into a
// file, and returns its content.
func waitForText(t *testing.T, file, text string, times int) (all string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s holds %q", file, text), func() bool {
		data, _ := os.ReadFile(file) // it is not there yet
		all = string(data)
		return strings.Count(all, text) >= times
	})
	return all
}

func wantPartialReport(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reports.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict == reports.Passed {
		t.Errorf("an interrupted run has the verdict %s", r.Verdict)
	}
}
