//go:build !unix

package engine

import (
	"fmt"
	"os"
	"os/exec"
)

// There are no process groups here: only the process itself is ended, and
// without being asked first.

func ownGroup(*exec.Cmd)           {}
func terminateGroup(p *os.Process) { _ = p.Kill() }
func killGroup(p *os.Process)      { _ = p.Kill() }

// exitText says how a process ended.
func exitText(s *os.ProcessState) string {
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
