package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"

	"replanbench/harness"
)

// Lock keeps a file for this process until unlock is called or the process ends,
// however it ends: what a killed process left is taken over. The holder, such as
// "replanbench live", is shown to another process that wants the file as well.
// Links to one file are that file; devices and pipes are for everyone. The
// directory is swept as [Sweep] does.
func Lock(name, holder string) (unlock func() error, err error) {
	to, err := target(name)
	if err != nil {
		return nil, err
	}
	if to.device {
		return func() error { return nil }, nil
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(to.name)); err == nil {
		to.name = filepath.Join(dir, filepath.Base(to.name))
	}
	Sweep(filepath.Dir(to.name))
	lock := flock.New(hidden(to.name), flock.SetPermissions(0o644))
	for {
		free, err := tryLock(lock)
		switch {
		case err != nil:
			return nil, harness.Mistakef("locking %s: %w", name, Cause(err))
		case !free:
			return nil, held(name, lock.Path())
		case isThere(lock):
			sign(lock.Path(), holder)
			return func() error { return unlink(lock) }, nil
		}
		if err := lock.Unlock(); err != nil { // the holder before has removed it
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
	}
}

// hidden returns the name of the lock of a file. It cuts a long name, since the lock's
// name must fit into a directory.
func hidden(name string) string {
	base := filepath.Base(name)
	base = strings.ToValidUTF8(base[:min(len(base), 200)], "_")
	return filepath.Join(filepath.Dir(name), "."+base+".lock")
}

// held returns an error that names the process that has a file.
func held(name, lock string) error {
	who := "another process"
	if text, _ := Read(lock, 300); len(text) > 0 {
		who = strings.TrimSpace(string(text))
	}
	return harness.Mistakef("%s: %s is writing it (wait until it ends, or name another file)", name, who)
}

// sign writes who has a file. The lock holds without it, on a full disk say, and on
// Windows, where nobody can write a locked file.
func sign(lock, holder string) {
	text := fmt.Sprintf("process %d (%s)\n", os.Getpid(), holder)
	_ = os.WriteFile(lock, []byte(text), 0o644)
}

// isThere reports whether a locked file still has its name.
func isThere(lock *flock.Flock) bool {
	mine, err1 := lock.Stat()
	there, err2 := os.Stat(lock.Path())
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}

// unlink removes a lock while it is held, so that it removes nobody else's. Windows
// removes no open file, and keeps one that another process has opened.
func unlink(lock *flock.Flock) error {
	if runtime.GOOS == "windows" {
		err := lock.Unlock()
		os.Remove(lock.Path())
		return err
	}
	return errors.Join(os.Remove(lock.Path()), lock.Unlock())
}
