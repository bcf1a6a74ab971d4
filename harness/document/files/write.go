package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replanbench/harness"
)

// Writable tries what [Write] will do, and sweeps the directory.
func Writable(name string) error {
	to, err := target(name)
	if err != nil || to.device {
		return err
	}
	Sweep(filepath.Dir(to.name))
	f, err := create(to)
	if err != nil {
		return err
	}
	return f.drop()
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

// Write writes a file whole or not at all, whatever ends the process or fills the
// disk: first under another name in the same directory, which takes the name when
// it is on the disk. A link stays and what it leads to is written; devices and
// pipes cannot be exchanged and are written to. What a killed process leaves of
// the other name is removed by [Sweep].
func Write(name string, render func(io.Writer) error) (err error) {
	to, err := target(name)
	if err != nil {
		return err
	}
	if to.device {
		return writeDevice(name, render)
	}
	f, err := create(to)
	if err != nil {
		return err
	}
	if err := Buffered(f, render); harness.IsMistake(err) {
		return errors.Join(err, f.drop())
	} else if err != nil {
		return fmt.Errorf("writing %s: %w", name, errors.Join(Cause(err), f.drop()))
	}
	if err := f.take(); err != nil {
		return fmt.Errorf("writing %s: %w", name, Cause(err))
	}
	return nil
}

// WriteData writes a file as [Write] does.
func WriteData(name string, data []byte) error {
	return Write(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Prune looks at the directories below dir, each with the name of what it keeps. It removes the files
// of these names from each that is obsolete, and each directory without other files. It returns the
// first file of each. obsolete gets the name of a directory and the text of its first file.
func Prune(dir string, names []string, obsolete func(name string, data []byte) bool) (removed []string) {
	entries, _ := os.ReadDir(dir) // what cannot be read keeps nothing
	for _, entry := range entries {
		own := filepath.Join(dir, entry.Name())
		file := filepath.Join(own, names[0])
		data, err := os.ReadFile(file)
		if err != nil || !obsolete(entry.Name(), data) {
			continue
		}
		for _, name := range names {
			_ = os.Remove(filepath.Join(own, name))
		}
		_ = os.Remove(own)
		removed = append(removed, file)
	}
	return removed
}

// place is where a file is written.
type place struct {
	asked  string // the name that messages give
	name   string // with links followed
	device bool   // or a pipe
}

// target finds the file that a name leads to.
func target(name string) (place, error) {
	if name == "" {
		return place{}, harness.Mistakef("a file without a name cannot be written")
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return place{}, harness.Mistakef("%s: is a directory (name a file to write)", name)
	case err == nil && !info.Mode().IsRegular():
		return place{asked: name, name: name, device: true}, nil
	case err == nil:
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return place{}, harness.Mistakef("writing %s: %w", name, Cause(err))
		}
		return place{asked: name, name: real}, nil
	}
	if err := Dangling(name); err != nil {
		return place{}, err
	}
	return place{asked: name, name: name}, nil
}

// NoLinks returns an error if a link lies below a directory, whose files are about to be
// replaced: a link could lead the data elsewhere. The directory itself may be a link.
func NoLinks(dir string) error {
	if dir == "" {
		return nil
	}
	return filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return harness.Mistakef("%s: %w", path, Cause(err))
		case d.Type()&fs.ModeSymlink != 0:
			return harness.Mistakef("%s: is a link, and files in this directory are replaced (remove the link, or choose "+
				"another --dir)", path)
		}
		return nil
	})
}

// Dangling is the error for a link that leads nowhere.
func Dangling(name string) error {
	to, err := os.Readlink(name)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return harness.Mistakef("%s: is a link to %s, which does not exist (remove the link, or create its target)", name, to)
}

func writeDevice(name string, render func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return harness.Mistakef("writing %s: %w", name, Cause(err))
	}
	if err := errors.Join(Buffered(f, render), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, Cause(err))
	}
	return nil
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

// Apart refuses an output that is the same file as an input or as another output, under
// any name or link, and an output that is existing source code. So no output overwrites
// an input. Devices and pipes may be both.
func Apart(outputs, inputs []string) error {
	for i, out := range outputs {
		if _, err := os.Stat(out); err == nil && slices.Contains(sources(), filepath.Ext(out)) {
			return harness.Mistakef("%s is source code, and the result would overwrite it (name another file for the result)", out)
		}
		for _, in := range inputs {
			if same(out, in) {
				as := " as " + in
				if in == out {
					as = ""
				}
				return harness.Mistakef("%s is also read%s, and the result would overwrite it (name another file for the "+
					"result)", out, as)
			}
		}
		for _, other := range outputs[:i] {
			if path := whole(out); same(out, other) || path != "" && path == whole(other) {
				return harness.Mistakef("%s and %s would write the same file (name two different files)", other, out)
			}
		}
	}
	return nil
}

// sources are extensions of source code. A command line does not name every file that its engine
// reads, such as the modules of a program.
func sources() []string {
	return strings.Fields(".py .js .mjs .cjs .jsx .ts .mts .tsx .go .rs .rb .php .java .kt .scala .cs .swift .c .h .cc .cpp .sh .j2 .jinja")
}

// stdin is standard input among the names of inputs.
const stdin = "-"

// same reports whether a file that exists has both names.
func same(out, in string) bool {
	written, err1 := os.Stat(out)
	read, err2 := os.Stat(in)
	if in == stdin {
		read, err2 = os.Stdin.Stat()
	}
	return err1 == nil && err2 == nil && written.Mode().IsRegular() && os.SameFile(written, read)
}

// whole is the path of a file that need not exist, without links to its directory;
// "" is a device, which several may write.
func whole(name string) string {
	dir, base := filepath.Split(name)
	if real, err := filepath.EvalSymlinks(filepath.Clean(dir)); err == nil {
		dir = real
	}
	path, err := filepath.Abs(filepath.Join(dir, base))
	if info, stat := os.Stat(name); err != nil || stat == nil && !info.Mode().IsRegular() {
		return ""
	}
	return path
}
