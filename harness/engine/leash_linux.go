package engine

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// becomeReaper makes this process the parent of its descendants' orphans.
func becomeReaper() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// relative is a process as /proc shows it.
type relative struct {
	pid, parent, group, session int
	zombie                      bool
}

// relatives lists all processes.
func relatives() (list []relative) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		data, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // the process has gone
		}
		// The format is: pid (name) state ppid pgrp session …; the name may contain any byte.
		var r relative
		var state string
		_, err = fmt.Sscan(string(data[bytes.LastIndexByte(data, ')')+1:]), &state, &r.parent, &r.group, &r.session)
		if r.pid, r.zombie = pid, state == "Z"; err == nil {
			list = append(list, r)
		}
	}
	return list
}

// isMarked reports whether a process has this mark in its environment.
func isMarked(pid int, mark string) bool {
	// empty if the process has gone or belongs to another user
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	for variable := range bytes.SplitSeq(data, []byte{0}) {
		if string(variable) == mark {
			return true
		}
	}
	return false
}

// killStrays kills the processes that the ended engine with this id has left behind: the rest
// of its group, the processes with its mark, and the children of this process in another
// session that stray accepts. It returns how many of them had left the group.
func killStrays(engine int, mark string, stray func(pid int) bool) int {
	self, ended := os.Getpid(), map[int]bool{}
	session, _ := unix.Getsid(0) // Getsid(0) cannot fail
	for range 100 {
		alive := false
		for _, r := range relatives() {
			orphan := r.parent == self && r.pid != engine && r.session != session && stray(r.pid)
			switch {
			case r.pid == self:
			case r.zombie && r.parent == self && (orphan || ended[r.pid] || r.group == engine):
				_, _ = syscall.Wait4(r.pid, nil, syscall.WNOHANG, nil)
			case r.zombie:
			case orphan || r.group == engine || isMarked(r.pid, mark):
				_ = syscall.Kill(r.pid, syscall.SIGKILL)
				ended[r.pid] = ended[r.pid] || r.group != engine
				alive = true
			}
		}
		if !alive {
			break
		}
		time.Sleep(time.Millisecond)
	}
	n := 0
	for _, left := range ended {
		if left {
			n++
		}
	}
	return n
}

// family lists the processes of one copy of an engine: its group, and the processes with its
// mark.
func family(engine int, mark string) (pids []string) {
	for _, r := range relatives() {
		if r.group == engine || isMarked(r.pid, mark) {
			pids = append(pids, strconv.Itoa(r.pid))
		}
	}
	return pids
}

// killDescendants kills all descendants of this process.
func killDescendants() {
	self := os.Getpid()
	for range 100 {
		alive := false
		for _, r := range relatives() {
			if r.parent == self && !r.zombie {
				_ = syscall.Kill(r.pid, syscall.SIGKILL)
				alive = true
			}
		}
		if !alive {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
