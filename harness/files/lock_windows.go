package files

import (
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks an open file until it is closed, unless another open file has the
// lock. It locks a byte far behind the end, since nobody else could read a locked
// one.
func tryLock(f *os.File) (free bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}
