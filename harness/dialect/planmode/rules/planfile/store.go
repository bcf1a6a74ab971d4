package planfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MaxFile is how much of a file is read, in bytes.
const MaxFile = 16 << 20

// Permissions of what a Store makes: nobody else reads a plan.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// Store is a directory on disk. Everything goes through directories that it
// holds open (os.Root), and plan files through the directory of plan files
// itself: whatever is renamed or linked after the Store was opened, a plan file
// is written beside the other plan files or not at all.
//
// A file is written as a whole: first beside its place, then renamed, so that
// a reader sees the old content or the new. A link that stands at its place by
// then is replaced, not followed.
type Store struct {
	root  *os.Root
	plans *os.Root // nil if something else stands in its place
}

// Open opens a directory and makes the directory of plan files in it if it is
// not there.
func Open(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the plan files: %w", err)
	}
	s := &Store{root: root}
	if err := s.openPlans(); err != nil {
		root.Close()
		return nil, fmt.Errorf("open the directory of plan files: %w", err)
	}
	return s, nil
}

func (s *Store) openPlans() error {
	if err := s.root.Mkdir(Dir, DirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	before, err := s.root.Lstat(Dir)
	if err != nil || !before.IsDir() {
		return err // a link or a file: there are no plan files to be had
	}
	plans, err := s.root.OpenRoot(Dir)
	if err != nil {
		return err
	}
	if now, err := plans.Stat("."); err != nil || !os.SameFile(before, now) {
		plans.Close()
		return errors.New("it was replaced while it was being opened; try again")
	}
	s.plans = plans
	return nil
}

// Close closes the directories.
func (s *Store) Close() error {
	if s.plans != nil {
		s.plans.Close()
	}
	return s.root.Close()
}

func (s *Store) look(name string) (kind, string, error) {
	info, err := s.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, "", nil
	case err != nil:
		return missing, "", err
	case info.Mode().IsRegular():
		return file, "", nil
	case info.IsDir():
		return directory, "", nil
	case info.Mode().Type() != fs.ModeSymlink:
		return special, "", nil
	}
	target, err := s.root.Readlink(filepath.FromSlash(name))
	return link, filepath.ToSlash(target), err
}

// Resolve follows a path. What it says may be out of date when it returns;
// Read and Write do not rely on it.
func (s *Store) Resolve(path string) (string, error) { return walk(path, s.look) }

// in opens the directory of a name; mkdirs says whether to make it first.
func (s *Store) in(name string, mkdirs bool) (dir *os.Root, base string, err error) {
	parent, base := split(name)
	if parent == Dir {
		if s.plans == nil {
			return nil, "", errors.New("there is no directory of plan files; something else has its name")
		}
		dir, err = s.plans.OpenRoot(".")
		return dir, base, err
	}
	if parent == "" {
		parent = "."
	} else if mkdirs {
		if err := s.root.MkdirAll(filepath.FromSlash(parent), DirMode); err != nil {
			return nil, "", err
		}
	}
	dir, err = s.root.OpenRoot(filepath.FromSlash(parent))
	return dir, base, err
}

// Read returns what a regular file holds. It follows no link.
func (s *Store) Read(name string) (string, error) {
	dir, base, err := s.in(name, false)
	if err != nil {
		return "", fmt.Errorf("read %q: %w", name, err)
	}
	defer dir.Close()
	before, err := dir.Lstat(base)
	if err != nil {
		return "", err
	}
	if !before.Mode().IsRegular() {
		return "", &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	f, err := dir.Open(base)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return "", fmt.Errorf("read %q: it was replaced while it was being opened; try again", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("read %q: it has more than %d MiB", name, MaxFile>>20)
	}
	return string(data), err
}

// Write makes or replaces a file as a whole.
func (s *Store) Write(name, content string) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("write %.80q: that is no clean relative path of a file", name)
	}
	dir, base, err := s.in(name, true)
	if err != nil {
		return fmt.Errorf("write %.80q: %w", name, err)
	}
	defer dir.Close()
	if err := replace(dir, base, content); err != nil {
		return fmt.Errorf("write %.80q: %w", name, err)
	}
	return nil
}

// replace writes a file beside its place and moves it there.
func replace(dir *os.Root, base, content string) error {
	f, temporary, err := create(dir)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, content)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = dir.Rename(temporary, base)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(temporary))
	}
	return nil
}

// create makes a new file with a name that nothing has.
func create(dir *os.Root) (f *os.File, name string, err error) {
	const tries = 1000 // files left behind by processes that died
	for i := range tries {
		name = fmt.Sprintf(".plan-%d.tmp", i)
		f, err = dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, FileMode)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
	return nil, "", fmt.Errorf("%d temporary files are left in the directory; remove those that are called .plan-N.tmp", tries)
}

// PlanNames lists the directory of plan files.
func (s *Store) PlanNames() ([]string, error) {
	if s.plans == nil {
		return nil, nil
	}
	dir, err := s.plans.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list the plan files: %w", err)
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}
