//go:build unix

// Package group ends processes with all their children: a process that leads a
// group of its own is signalled together with the group.
package group

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Own makes the process the leader of a group of its own, so that it can
// be ended with all its children, and an interrupt from the terminal does not
// reach it before us. On Linux it ends with this process, however that ends.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
}

// Terminate asks the group of a process to end. A group that has gone is no fault.
func Terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// Kill ends the group of a process.
func Kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// ExitText says how a process ended; nil is one whose status could not be read.
func ExitText(s *os.ProcessState) string {
	if s == nil {
		return "ended with an unknown status"
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return fmt.Sprintf("was ended by the signal %v", w.Signal())
	}
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
