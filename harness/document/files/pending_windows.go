package files

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
)

// pending does on Windows what renameio, which does not support Windows, does elsewhere.
type pending struct {
	*os.File
	replaces string
}

func newPending(name, dir string) (*pending, error) {
	f, err := os.CreateTemp(dir, "*")
	return &pending{f, name}, err
}

func (p *pending) CloseAtomicallyReplace() error {
	if err := cmp.Or(p.Sync(), p.Close()); err != nil {
		return err
	}
	return os.Rename(p.Name(), p.replaces)
}

func (p *pending) Cleanup() error {
	p.Close()
	if err := os.Remove(p.Name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
