//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"replanbench/reports"
)

// An interrupt ends a campaign with what was done so far, and no process of the
// engine is left behind, whatever it does.
func TestInterrupt(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"engine":{"name":"stuck"},"dialects":{"planpatch":{}}}}`
	for _, tc := range []struct {
		name, engine string
		processes    int // that the engine starts
	}{
		{"engine at work", "echo $$ >>pids; exec replanbench engine serve", 2},
		{"engine that hangs, ignores TERM and has a child", `trap "" TERM; echo $$ >>pids; read -r _; echo '` + hello + `'; sleep 100 & echo $! >>pids; wait`, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command("replanbench", "fuzz", "--time", "1m", "--timeout", "1m", "--quiet", "--engines", "2", "--out", "found", "--", "sh", "-c", tc.engine)
			cmd.Dir = dir
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pids := waitForPIDs(t, filepath.Join(dir, "pids"), tc.processes)
			time.Sleep(500 * time.Millisecond) // let it work
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
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

// wantGone checks that a process has ended. One that was killed may need a
// moment, and where init is slow in place of its parent, it stays in the table
// of processes as a zombie.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	for range 200 {
		err := syscall.Kill(pid, 0)
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // empty where there is none
		if errors.Is(err, syscall.ESRCH) || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d of the engine is still there", pid)
}

// waitForPIDs waits until an engine has written the numbers of so many
// processes.
func waitForPIDs(t *testing.T, file string, n int) []int {
	t.Helper()
	for range 500 {
		data, err := os.ReadFile(file)
		if err == nil && bytes.Count(data, []byte("\n")) >= n {
			var pids []int
			for _, s := range strings.Fields(string(data)) {
				pid, err := strconv.Atoi(s)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, pid)
			}
			return pids
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the engine did not start")
	return nil
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
