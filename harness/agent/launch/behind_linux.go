package launch

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// strays are the processes that an agent leaves behind. This process adopts all whose parent
// has ended, so that those are found that left the process group and cleared their
// environment. The value holds the children that this process had before.
type strays map[int]bool

// adopt begins to adopt processes.
func adopt() strays {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // since Linux 3.4; without it only marked ones are found
	before := strays{}
	for _, p := range processes() {
		if p.parent == os.Getpid() {
			before[p.pid] = true
		}
	}
	return before
}

// process is a row of the table of processes.
type process struct{ pid, parent, group int }

// processes lists the processes that have not ended.
func processes() (list []process) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // with /stat, Glob reads every folder of a process
	for _, dir := range dirs {
		data, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(data), ") ") // the name before it may contain anything
		fields := strings.Fields(rest)
		if len(fields) < 3 || fields[0] == "Z" {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		parent, _ := strconv.Atoi(fields[1])
		group, _ := strconv.Atoi(fields[2])
		list = append(list, process{pid, parent, group})
	}
	return list
}

// kill ends the processes that carry the key of a session in their environment, and the
// adopted ones that belong to no other session, and counts them. The group of the leader was
// killed before.
func (s strays) kill(leader int, key string) (n int) {
	const tries = 20 // each may have children, which are adopted next
	own, _ := os.ReadFile("/proc/self/environ")
	for range tries {
		killed := 0
		for _, p := range processes() {
			if p.pid != os.Getpid() && p.group != leader && s.are(p, key, own) && syscall.Kill(p.pid, syscall.SIGKILL) == nil {
				_, _ = syscall.Wait4(p.pid, nil, 0, nil) // of an adopted one
				killed++
			}
		}
		if n += killed; killed == 0 {
			break
		}
	}
	return n
}

// are reports whether a process is a stray of the session with a key.
func (s strays) are(p process, key string, own []byte) bool {
	dir := filepath.Join("/proc", strconv.Itoa(p.pid))
	if line, err := os.ReadFile(filepath.Join(dir, "cmdline")); err != nil || len(line) == 0 {
		return false // it has ended, or is being started for another session, and has no environment yet
	}
	data, err := os.ReadFile(filepath.Join(dir, "environ"))
	if err != nil {
		return false // another user's
	}
	if bytes.Contains(data, []byte(marker+"="+key)) {
		return key != ""
	}
	// A child with our own environment has just been forked, for another session.
	return p.parent == os.Getpid() && !s[p.pid] && p.group != syscall.Getpgrp() && !bytes.Equal(data, own) &&
		!bytes.Contains(data, []byte(marker+"="))
}

// reap lets the adopted processes of a group end whose leader has ended.
func (strays) reap(leader int) {
	for {
		if pid, err := syscall.Wait4(-leader, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}
