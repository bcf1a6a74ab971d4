// Package files reads files up to a bound, writes them whole or not at all, and
// keeps a file for one run at a time. Its errors name the file, and are
// [harness.Mistake] where another file would do.
package files

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"replanbench/harness"
)

// Read reads a file of at most limit bytes. It refuses directories and larger files. If
// the size is known, it refuses before it reads.
func Read(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent(name)
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

// Head returns the first bytes of a file, at most limit, or nothing if it cannot be read.
func Head(name string, limit int64) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, limit)) // what was read is enough
	return head
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
	return harness.Mistakef("%s: the file has %s, and at most %d MiB are read (is it the right file?)", name, size,
		limit>>20)
}

// absent returns the error for a missing file.
func absent(name string) error {
	if err := Dangling(name); err != nil {
		return err
	}
	return harness.Mistakef("%s: no such file", name)
}

// Readable opens a file and reads nothing.
func Readable(name string) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return absent(name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, Cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a directory (name a file)", name)
	}
	return nil
}

// Embedded parses all files of a folder that is part of the program, in the order of their names.
func Embedded[T any](folder embed.FS, dir string, parse func(name string, data []byte) (T, error)) ([]T, error) {
	entries, err := folder.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []T
	for _, e := range entries {
		data, err := folder.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		one, err := parse(e.Name(), data)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// Cause strips the operation and the path from an error of the file system, for
// messages that name the file themselves.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// MaxInput limits the bytes of a file that is read whole. A plan of 10,000 steps has about 2 MB.
const MaxInput = 32 << 20

// Stdin names standard input among the inputs of a command.
const Stdin = "-"

// Inputs reads the files that a user names.
type Inputs struct{ Stdin io.Reader }

// InputName returns the name of an input in messages.
func InputName(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return name
}

// Read reads a file of at most [MaxInput] bytes, or standard input for "-".
func (in Inputs) Read(name string) ([]byte, error) { return in.ReadUpTo(name, MaxInput) }

// ReadUpTo reads a file of at most limit bytes.
func (in Inputs) ReadUpTo(name string, limit int64) ([]byte, error) {
	if name == Stdin {
		return ReadFrom(in.Stdin, InputName(name), limit)
	}
	return Read(name, limit)
}
