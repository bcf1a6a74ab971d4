package engine

import (
	"bytes"
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

// processes lists the ids of all processes.
func processes() (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// relatives lists all processes.
func relatives() (list []relative) {
	for _, pid := range processes() {
		data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		// The format is: pid (name) state ppid pgrp session …; the name may contain any byte.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) < 4 {
			continue // the process has gone
		}
		r := relative{pid: pid, zombie: string(fields[0]) == "Z"}
		for i, number := range []*int{&r.parent, &r.group, &r.session} {
			*number, _ = strconv.Atoi(string(fields[i+1])) // the kernel writes numbers
		}
		list = append(list, r)
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

// family reports for each process whether it belongs to one copy of an engine: to its group, or
// to the processes with its mark. It keeps the answers of the call before: a look at every
// process takes milliseconds.
func family(engine int, mark string, before map[int]bool) map[int]bool {
	now := map[int]bool{}
	for _, pid := range processes() {
		member, known := before[pid]
		if !known {
			group, err := syscall.Getpgid(pid)
			member = err == nil && group == engine || isMarked(pid, mark)
		}
		now[pid] = member
	}
	return now
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
