package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"replanbench/harness"
)

// Lock keeps a file for this process until unlock is called or the process ends,
// however it ends: what a killed process left is taken over. The holder, such as
// "replanbench live", is what another process is told that wants the file as well.
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
	lock := to.hidden("lock")
	for {
		f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, harness.Mistakef("locking %s: %w", name, Cause(err))
		}
		free, err := tryLock(f)
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", name, errors.Join(err, f.Close()))
		}
		if !free {
			return nil, errors.Join(held(name, f), f.Close())
		}
		if !isAt(f, lock) { // the holder before has removed it
			f.Close()
			continue
		}
		sign(f, holder)
		return func() error { return unlink(f) }, nil
	}
}

// held says who has a file.
func held(name string, lock io.Reader) error {
	who := "another process"
	if text, _ := io.ReadAll(io.LimitReader(lock, 300)); len(text) > 0 {
		who = strings.TrimSpace(string(text))
	}
	return harness.Mistakef("%s: %s is writing it (wait for its end, or name another file)", name, who)
}

// sign writes who has a file. That it is not written, on a full disk say, leaves
// the lock as good as it was.
func sign(lock *os.File, holder string) {
	if lock.Truncate(0) == nil {
		fmt.Fprintf(lock, "process %d (%s)\n", os.Getpid(), holder)
	}
}

// isAt reports whether a file still has a name.
func isAt(f *os.File, name string) bool {
	mine, err1 := f.Stat()
	there, err2 := os.Stat(name)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}

// unlink removes a lock while it is held, so that nobody else's is removed; an
// open file cannot be removed on Windows, and another's is open.
func unlink(f *os.File) error {
	if runtime.GOOS == "windows" {
		err := f.Close()
		os.Remove(f.Name())
		return err
	}
	return errors.Join(os.Remove(f.Name()), f.Close())
}
