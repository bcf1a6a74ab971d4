package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"replanbench/harness"
)

// draft is a file that is not complete. Its name is that of no other process, and
// it is locked while it is written: one that is not was left by a killed process.
type draft struct {
	*os.File
	to place
}

const draftEnd = ".draft"

// hidden is the name of a file that belongs to the one that is written. A long
// name is cut, since the whole must fit into a directory.
func (p place) hidden(end string) string {
	base := filepath.Base(p.name)
	base = strings.ToValidUTF8(base[:min(len(base), 200)], "_")
	return filepath.Join(filepath.Dir(p.name), "."+base+"."+end)
}

// create makes the draft of a file.
func create(to place) (*draft, error) {
	name := to.hidden(fmt.Sprintf("%d-%08x%s", os.Getpid(), rand.Uint32(), draftEnd))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, harness.Mistakef("writing %s: %w (make the directory %s first)", to.asked, Cause(err), filepath.Dir(to.name))
	case err != nil:
		return nil, harness.Mistakef("writing %s: %w", to.asked, Cause(err))
	}
	_, err = tryLock(f)
	if err == nil && to.mode != 0 {
		err = f.Chmod(to.mode)
	}
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", to.asked, errors.Join(Cause(err), f.Close(), os.Remove(name)))
	}
	return &draft{f, to}, nil
}

// Sweep removes the files that killed processes were about to write in a
// directory. It is no failure where that cannot be done.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), draftEnd) || !e.Type().IsRegular() {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		free, err := tryLock(f)
		f.Close()
		if free && err == nil {
			os.Remove(f.Name())
		}
	}
}

// take gives the draft the file's name.
func (d *draft) take() error {
	err := d.Sync()
	if err == nil && runtime.GOOS == "windows" { // where an open file keeps its name
		err = d.Close()
	}
	if err == nil {
		err = os.Rename(d.Name(), d.to.name)
	}
	if err != nil {
		return errors.Join(err, d.drop())
	}
	if err := d.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return syncDir(filepath.Dir(d.to.name))
}

// drop removes the draft.
func (d *draft) drop() error {
	err := d.Close()
	if errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	return cmp.Or(err, os.Remove(d.Name()))
}
