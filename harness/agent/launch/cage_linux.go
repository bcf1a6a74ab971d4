package launch

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cage is a control group of Linux that holds an agent and all processes that it starts,
// also those that leave its process group and clear their environment. The zero value
// holds none: control groups need permissions.
type cage struct{ dir string }

// newCage makes a control group below this process's own.
func newCage() cage {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return cage{}
	}
	for line := range strings.Lines(string(data)) {
		own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
			if _, err := os.Stat(filepath.Join(root, "cgroup.procs")); err != nil {
				continue
			}
			if dir, err := os.MkdirTemp(filepath.Join(root, own), "replanbench-agent-"); err == nil {
				return cage{dir}
			}
		}
	}
	return cage{}
}

// hold makes a command start in the control group. The caller closes the file.
func (c cage) hold(a *syscall.SysProcAttr) *os.File {
	f, err := os.Open(c.dir)
	if c.dir == "" || err != nil {
		return nil
	}
	a.UseCgroupFD, a.CgroupFD = true, int(f.Fd())
	return f
}

// empty kills all processes of the control group, removes it, and counts those that left
// the process group of the leader.
func (c cage) empty(leader int) (n int) {
	const tries = 50
	for range tries {
		if c.dir == "" || os.Remove(c.dir) == nil {
			return n
		}
		data, _ := os.ReadFile(filepath.Join(c.dir, "cgroup.procs"))
		for word := range bytes.FieldsSeq(data) {
			pid, err := strconv.Atoi(string(word))
			if err != nil {
				continue
			}
			group, _ := syscall.Getpgid(pid)
			if syscall.Kill(pid, syscall.SIGKILL) == nil && group != leader {
				n++
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return n
}
