package main

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

	"github.com/spf13/cobra"

	"replanbench/reports"
)

// output is how and where a command writes its result.
type output struct {
	format string
	file   string
	also   targets // further forms of a report
}

// target is a form of a report and the file that it is written to.
type target struct{ format, file string }

// targets is a flag value that may stand several times: FORMAT=FILE.
type targets []target

func (t *targets) Type() string { return "FORMAT=FILE" }

func (t *targets) String() string {
	var list []string
	for _, x := range *t {
		list = append(list, x.format+"="+x.file)
	}
	return strings.Join(list, " ")
}

func (t *targets) Set(s string) error {
	format, file, ok := strings.Cut(s, "=")
	if !ok || file == "" {
		return fmt.Errorf("write FORMAT=FILE, such as junit=report.xml")
	}
	if err := oneOf(format, reports.Formats()); err != nil {
		return err
	}
	*t = append(*t, target{format, file})
	return nil
}

// addReports adds --report.
func (o *output) addReports(cmd *cobra.Command) {
	cmd.Flags().Var(&o.also, "report", "also write the report in this form to a file; may stand several times")
}

// stepSummary names the variable with the file in which GitHub Actions takes
// the summary of a step.
const stepSummary = "GITHUB_STEP_SUMMARY"

// writeReport writes a report in all the forms asked for. In the form github
// the summary of the step is written as well, where there is one.
func (o *output) writeReport(e env, r *reports.Report) error {
	err := o.write(e, func(w io.Writer) error { return r.Write(w, o.format, o.colour(e)) })
	formats := []string{o.format}
	for _, t := range o.also {
		formats = append(formats, t.format)
		err = errors.Join(err, writeFile(t.file, func(w io.Writer) error { return r.Write(w, t.format, false) }))
	}
	if file := e.getenv(stepSummary); file != "" && slices.Contains(formats, "github") {
		err = errors.Join(err, appendFile(file, r.StepSummary))
	}
	return err
}

// appendFile writes at the end of a file.
func appendFile(name string, render func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("writing %s (%s): %w", name, stepSummary, cause(err))
	}
	return errors.Join(buffered(f, render), f.Close())
}

// ready refuses files that cannot be written, before the work is done.
func (o *output) ready() error {
	var errs []error
	if o.file != "" {
		errs = append(errs, writable(o.file))
	}
	for _, t := range o.also {
		errs = append(errs, writable(t.file))
	}
	return errors.Join(errs...)
}

// writable tries what writeFile will do.
func writable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return usagef("%s: is a directory (name a file to write)", name)
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
		return usagef("writing %s: %w (make the directory %s first)", name, cause(err), dir)
	case err != nil:
		return usagef("writing %s: %w", name, cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// add adds --format, with the formats that the command has, and --out.
func (o *output) add(cmd *cobra.Command, formats ...string) {
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.ready() }
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
// same directory, which takes the name in the end. A link stays and what it
// leads to is written; devices and pipes cannot be exchanged and are written to.
func writeFile(name string, render func(io.Writer) error) (err error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return usagef("%s: is a directory (name a file to write)", name)
	case err == nil && !info.Mode().IsRegular():
		return writeDevice(name, render)
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return usagef("writing %s: %w", name, cause(err))
		}
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

func writeDevice(name string, render func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return usagef("writing %s: %w", name, cause(err))
	}
	return errors.Join(buffered(f, render), f.Close())
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
