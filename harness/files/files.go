// Package files reads files up to a bound, and writes them whole or not at all.
// Its errors name the file, and are [harness.Mistake] where another file would do.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"replanbench/harness"
)

// Read reads a file of at most limit bytes. It refuses directories, and what is
// larger, before reading it where the size is known.
func Read(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, harness.Mistakef("%s: no such file", name)
	case err != nil:
		return nil, harness.Mistakef("%s: %w", name, Cause(err))
	case info.IsDir():
		return nil, harness.Mistakef("%s: is a directory (name a file)", name)
	case info.Size() > limit:
		return nil, tooLarge(name, fmt.Sprintf("%.1f MiB", float64(info.Size())/(1<<20)), limit)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, harness.Mistakef("%s: %w", name, Cause(err))
	}
	defer f.Close()
	return ReadFrom(f, name, limit)
}

// ReadFrom reads all of r, which messages call name.
func ReadFrom(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, harness.Mistakef("reading %s: %w", name, Cause(err))
	}
	if int64(len(data)) > limit {
		return nil, tooLarge(name, "more", limit)
	}
	return data, nil
}

func tooLarge(name, size string, limit int64) error {
	return harness.Mistakef("%s: the file has %s, and at most %d MiB are read (is it the right file?)", name, size, limit>>20)
}

// Readable opens a file and reads nothing.
func Readable(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, Cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a directory (name a file)", name)
	}
	return nil
}

// Writable tries what [Write] will do.
func Writable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return isDirectory(name)
	case err == nil && !info.Mode().IsRegular():
		return nil // a device shows what it is good for when it is written to
	}
	dir := filepath.Dir(name)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		dir = filepath.Dir(target)
	}
	f, err := os.CreateTemp(dir, ".*")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return harness.Mistakef("writing %s: %w (make the directory %s first)", name, Cause(err), dir)
	case err != nil:
		return harness.Mistakef("writing %s: %w", name, Cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// New refuses a file that exists, or that cannot be written.
func New(name string) error {
	if _, err := os.Lstat(name); err == nil {
		return harness.Mistakef("%s: the file exists (name another, or remove it)", name)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return harness.Mistakef("%s: %w", name, Cause(err))
	}
	return Writable(name)
}

// Write writes a file whole or not at all: first under another name in the same
// directory, which takes the name in the end. A link stays and what it leads to
// is written; devices and pipes cannot be exchanged and are written to.
func Write(name string, render func(io.Writer) error) (err error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return isDirectory(name)
	case err == nil && !info.Mode().IsRegular():
		return writeDevice(name, render)
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return harness.Mistakef("writing %s: %w", name, Cause(err))
		}
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return harness.Mistakef("writing %s: %w", name, Cause(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err := Buffered(f, render); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync()); err != nil {
		return fmt.Errorf("writing %s: %w", name, Cause(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", name, Cause(err))
	}
	return os.Rename(f.Name(), name)
}

// WriteData writes a file as [Write] does.
func WriteData(name string, data []byte) error {
	return Write(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func isDirectory(name string) error {
	return harness.Mistakef("%s: is a directory (name a file to write)", name)
}

func writeDevice(name string, render func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return harness.Mistakef("writing %s: %w", name, Cause(err))
	}
	return errors.Join(Buffered(f, render), f.Close())
}

// Append writes at the end of a file.
func Append(name string, render func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, Cause(err))
	}
	return errors.Join(Buffered(f, render), f.Close())
}

// Buffered calls render with a buffer before w.
func Buffered(w io.Writer, render func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := render(b); err != nil {
		return err
	}
	return b.Flush()
}

// Spool copies what can be read once only to a temporary file.
func Spool(r io.Reader, pattern string) (name string, err error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(f, r); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// Cause strips the operation and the path from an error of the file system, for
// messages that name the file themselves.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
