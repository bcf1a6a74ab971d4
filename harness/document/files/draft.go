package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/gofrs/flock"

	"replanbench/harness"
)

// drafts is a folder next to a file. The file is written there before it takes its name.
// A process locks the draft that it writes, so that [Sweep] finds abandoned drafts.
const drafts = ".replanbench-drafts"

// draft is a file that is not complete.
type draft struct {
	*pending
	lock *flock.Flock
	dir  string
}

// create makes the draft of a file.
func create(to place) (*draft, error) {
	dir := filepath.Join(filepath.Dir(to.name), drafts)
	var p *pending
	err := fs.ErrNotExist
	for range 100 { // another process may remove the empty folder
		if err = os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			break
		}
		if p, err = newPending(to.name, dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, harness.Mistakef("writing %s: %w (make the directory %s first)", to.asked, Cause(err),
			filepath.Dir(to.name))
	case err != nil:
		os.Remove(dir) // if it is empty
		return nil, harness.Mistakef("writing %s: %w", to.asked, Cause(err))
	}
	d := &draft{p, flock.New(p.Name(), flock.SetFlag(os.O_RDWR)), dir}
	if _, err := tryLock(d.lock); err != nil {
		return nil, harness.Mistakef("writing %s: %w", to.asked, errors.Join(Cause(err), d.drop()))
	}
	return d, nil
}

// Sweep removes the files that killed processes were about to write in a directory. It
// ignores errors.
func Sweep(dir string) {
	dir = filepath.Join(dir, drafts)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		lock := flock.New(name, flock.SetFlag(os.O_RDWR))
		if free, err := tryLock(lock); free && err == nil && lock.Unlock() == nil {
			os.Remove(name)
		}
	}
	os.Remove(dir) // if it is empty
}

// take gives the draft the file's name.
func (d *draft) take() error {
	var err error
	if runtime.GOOS == "windows" { // which does not rename an open file
		err = d.lock.Unlock()
	}
	if err == nil {
		err = d.CloseAtomicallyReplace()
	}
	return errors.Join(err, d.drop())
}

// drop removes the draft, unless it has the name of the file.
func (d *draft) drop() error {
	err := errors.Join(d.lock.Unlock(), d.Cleanup())
	os.Remove(d.dir) // if it is empty
	return err
}

// tryLock locks a file, unless another process or another lock has it. Where the file
// system knows no locks, every file is free.
func tryLock(l *flock.Flock) (free bool, err error) {
	free, err = l.TryLock()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		return true, nil
	}
	return free, err
}
