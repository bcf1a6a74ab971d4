package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// MemoryWatched reports whether [Options.Memory] is enforced here. It is on
// Linux only; elsewhere the option has no effect.
func MemoryWatched() bool { return true }

const (
	memoryTick = 50 * time.Millisecond // how often the known processes are looked at
	groupTicks = 10                    // after how many ticks new children are looked for
)

// watchMemory kills the process group when its resident memory exceeds the
// limit.
func (p *process) watchMemory(limit int64) {
	if limit <= 0 {
		return
	}
	tick := time.NewTicker(memoryTick)
	defer tick.Stop()
	var members []string
	for n := 0; ; n++ {
		select {
		case <-p.exited:
			return
		case <-tick.C:
		}
		if n%groupTicks == 0 {
			members = groupMembers(p.cmd.Process.Pid)
		}
		var held int64
		for _, pid := range members {
			held += residentBytes(pid)
		}
		if held > limit {
			p.condemn(failure(Crash, "held %d MiB of memory and was ended (--engine-memory allows %d MiB)", held>>20, limit>>20))
			return
		}
	}
}

// groupMembers lists the processes of a group, by /proc.
func groupMembers(group int) []string {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is sound
	want := strconv.Itoa(group)
	var pids []string
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it has gone
		}
		// pid (name) state ppid pgrp …; the name may hold anything.
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) > 2 && fields[2] == want {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}

// residentBytes is what a process holds in memory, 0 if it has gone.
func residentBytes(pid string) int64 {
	data, err := os.ReadFile("/proc/" + pid + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64) // 0 if it is none
	return pages * int64(os.Getpagesize())
}
