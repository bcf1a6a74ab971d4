//go:build !unix

// Package group ends processes. There are no process groups here: only the
// process itself is ended, and without being asked first.
package group

import (
	"fmt"
	"os"
	"os/exec"
)

// Own does nothing here.
func Own(*exec.Cmd) {}

// Terminate ends the process.
func Terminate(p *os.Process) { _ = p.Kill() }

// Kill ends the process.
func Kill(p *os.Process) { _ = p.Kill() }

// ExitText says how a process ended.
func ExitText(s *os.ProcessState) string {
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
