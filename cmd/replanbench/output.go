package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// output is how and where a command writes its result.
type output struct {
	format string
	file   string
}

// add adds --format, with the formats that the command has, and --out.
func (o *output) add(cmd *cobra.Command, formats ...string) {
	addChoice(cmd, &o.format, "format", "how to write the result", formats...)
	cmd.Flags().StringVar(&o.file, "out", "", "write the result to this `FILE` instead of standard output")
}

// colour reports whether the result may be coloured.
func (o *output) colour(e env) bool { return o.file == "" && e.colour() }

// write calls render with the place where the result goes. A file appears only
// when it is complete.
func (o *output) write(e env, render func(io.Writer) error) error {
	if o.file == "" {
		return buffered(e.stdout, render)
	}
	return writeFile(o.file, render)
}

// writeFile writes a file whole or not at all: first under another name in the
// same directory, which takes the name in the end.
func writeFile(name string, render func(io.Writer) error) (err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return usagef("%s: is a directory (name a file to write)", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return usagef("writing %s: %w", name, cause(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err := buffered(f, render); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("writing %s: %w", name, cause(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", name, cause(err))
	}
	return os.Rename(f.Name(), name)
}

func buffered(w io.Writer, render func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := render(b); err != nil {
		return err
	}
	return b.Flush()
}

// cause strips the operation and path from a file system error, for messages
// that name the file themselves.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
