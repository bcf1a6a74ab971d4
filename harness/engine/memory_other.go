//go:build !linux

package engine

// MemoryWatched reports whether [Options.Memory] is enforced on this system. Only Linux
// enforces it.
func MemoryWatched() bool { return false }

func (*process) watchMemory(int64) {}
