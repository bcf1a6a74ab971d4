//go:build !linux

package engine

// MemoryWatched reports whether [Options.Memory] is enforced here. It is on
// Linux only; elsewhere the option has no effect.
func MemoryWatched() bool { return false }

func (*process) watchMemory(int64) {}
