//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks an open file until it is closed, unless another open file has the
// lock. Where the file system knows no locks, every file is free.
func tryLock(f *os.File) (free bool, err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, errors.ErrUnsupported), err == syscall.ENOLCK:
			return true, nil
		case err == syscall.EWOULDBLOCK:
			return false, nil
		case err != syscall.EINTR:
			return false, err
		}
	}
}
