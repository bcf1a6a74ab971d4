//go:build unix

package engine

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a group of its own, so that it can
// be ended with all its children, and an interrupt from the terminal does not
// reach it before us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// A signal to a group that has gone is no fault.
func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }
func killGroup(p *os.Process)      { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// exitText says how a process ended.
func exitText(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return fmt.Sprintf("was ended by the signal %v", w.Signal())
	}
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
