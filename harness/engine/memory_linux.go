package engine

import (
	"os"
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

// watchMemory kills the process when it and its children hold more resident memory
// than the limit, those included that have left its group.
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
			members = family(p.cmd.Process.Pid, p.mark)
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
