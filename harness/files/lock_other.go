//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package files

import "os"

// tryLock finds every file free: this system has no locks that end with a process.
func tryLock(*os.File) (free bool, err error) { return true, nil }
