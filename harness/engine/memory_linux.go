package engine

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// MemoryWatched reports whether [Options.Memory] is enforced on this system. Only Linux
// enforces it.
func MemoryWatched() bool { return true }

const (
	memoryTick = 50 * time.Millisecond // how often the memory of known processes is read
	groupTicks = 10                    // after this many ticks new children are looked up
)

// watchMemory kills the process when it and its children use more resident memory than the
// limit. Children that have left its group count too.
func (p *process) watchMemory(limit int64) {
	if limit <= 0 {
		return
	}
	tick := time.NewTicker(memoryTick)
	defer tick.Stop()
	var processes map[int]bool
	for n := 0; ; n++ {
		select {
		case <-p.exited:
			return
		case <-tick.C:
		}
		if n%groupTicks == 0 {
			processes = family(p.cmd.Process.Pid, p.mark, processes)
		}
		var held int64
		for pid, member := range processes {
			if member {
				held += residentBytes(pid)
			}
		}
		if held > limit {
			p.condemn(failure(crash, "used %d MiB of memory and was killed (--engine-memory allows %d MiB)", held>>20,
				limit>>20))
			return
		}
	}
}

// residentBytes returns the resident memory of a process, 0 if it has gone.
func residentBytes(pid int) int64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64) // 0 if it is not a number
	return pages * int64(os.Getpagesize())
}
