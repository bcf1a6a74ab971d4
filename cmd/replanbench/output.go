package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/files"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// output is how and where a command writes its result.
type output struct {
	format string
	file   string
	also   targets // further forms of a report
	quiet  bool    // show no progress
}

// target is a form of a report and the file that it is written to.
type target struct{ format, file string }

// targets is a flag value that may be given several times: FORMAT=FILE.
type targets []target

func (t *targets) Type() string { return "FORMAT=FILE" }

func (t *targets) String() string {
	var list []string
	for _, x := range *t {
		list = append(list, x.format+"="+x.file)
	}
	return strings.Join(list, " ")
}

// add adds a report unless the same report already goes to that file.
func (t *targets) add(x target) {
	if !slices.ContainsFunc(*t, func(y target) bool {
		return x.format == y.format && filepath.Clean(x.file) == filepath.Clean(y.file)
	}) {
		*t = append(*t, x)
	}
}

func (t *targets) files() (list []string) {
	for _, x := range *t {
		list = append(list, x.file)
	}
	return list
}

func (t *targets) Set(s string) error {
	format, file, ok := strings.Cut(s, "=")
	if !ok || file == "" {
		return errors.New("write FORMAT=FILE, such as junit=report.xml")
	}
	if err := gate.OneOf(format, reports.Formats()); err != nil {
		return err
	}
	*t = append(*t, target{format, file})
	return nil
}

// add adds --format, with the formats that the command has, and --out.
func (o *output) add(cmd *cobra.Command, formats ...string) {
	defer inGroup(cmd, groupResult)()
	addChoice(cmd, &o.format, "format", "how to write the result", formats...)
	o.addFile(cmd, "the result")
}

// addFile adds --out. Its file is kept for the command while it runs.
func (o *output) addFile(cmd *cobra.Command, what string) {
	defer inGroup(cmd, groupResult)()
	before(cmd, o.ready)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.file == "" {
			return run(cmd, args)
		}
		unlock, err := files.Lock(o.file, cmd.CommandPath())
		if err != nil {
			return err
		}
		return errors.Join(run(cmd, args), unlock())
	}
	cmd.Flags().StringVar(&o.file, "out", "", "write "+what+" to this `FILE` instead of standard output")
	markWritten(cmd, "out")
}

// addReport adds the flags of every command that makes a report: --format, --out,
// --report and --quiet.
func (o *output) addReport(cmd *cobra.Command) {
	defer inGroup(cmd, groupResult)()
	o.add(cmd, reports.Formats()...)
	cmd.Flags().Var(&o.also, "report", "also write the report in this format to a file; may be given several times")
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "show no progress")
}

// addDir adds --dir, which names where a command keeps several files: --out is always
// one file.
func addDir(cmd *cobra.Command, dir *string, what string) {
	cmd.Flags().StringVar(dir, "dir", "", what+" in this `DIR`, which is created if missing")
	before(cmd, func() error { return files.NoLinks(*dir) })
}

// before makes a command run a check before it starts, after the checks that it has already.
func before(cmd *cobra.Command, check func() error) {
	earlier := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if earlier != nil {
			if err := earlier(cmd, args); err != nil {
				return err
			}
		}
		return check()
	}
}

// orDir lets --out name what --dir names: a folder that is there, or a new name without
// an ending. It stands behind both flags.
func (o *output) orDir(cmd *cobra.Command, dir *string) {
	cmd.Flags().Lookup("out").Usage += "; a directory, or a name without an extension, is used as --dir"
	ready := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if *dir == "" && o.file != "" && namesFolder(o.file) {
			*dir, o.file = o.file, ""
		}
		return ready(cmd, args)
	}
}

func namesFolder(name string) bool {
	if info, err := os.Stat(name); err == nil {
		return info.IsDir()
	}
	return filepath.Ext(name) == ""
}

// stepSummary names the variable with the file in which GitHub Actions takes
// the summary of a step.
const stepSummary = "GITHUB_STEP_SUMMARY"

// writeReport writes a report in all the forms asked for. In the form github
// the summary of the step is written as well, where there is one.
func (o *output) writeReport(e env, r *reports.Report) error {
	err := o.write(e, func(w io.Writer) error {
		if o.format == "table" && o.file == "" {
			return r.Table(w, o.colour(e), e.columns())
		}
		return r.Write(w, o.format, o.colour(e))
	})
	formats := []string{o.format}
	for _, t := range o.also {
		formats = append(formats, t.format)
		err = errors.Join(err, files.Write(t.file, func(w io.Writer) error { return r.Write(w, t.format, false) }))
	}
	if file := e.getenv(stepSummary); file != "" && slices.Contains(formats, "github") {
		if failed := files.Append(file, r.StepSummary); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", stepSummary, failed))
		}
	}
	return err
}

// ready refuses files that cannot be written, before the work is done.
func (o *output) ready() error {
	var errs []error
	if o.format == "parquet" && o.file == "" {
		errs = append(errs, usagef("--format parquet: give --out FILE (a terminal cannot show it)"))
	}
	if o.file != "" {
		errs = append(errs, files.Writable(o.file))
	}
	for _, t := range o.also {
		errs = append(errs, files.Writable(t.file))
	}
	return errors.Join(errs...)
}

// colour reports whether the result may be coloured.
func (o *output) colour(e env) bool { return o.file == "" && e.colour() }

// write calls render with the place where the result goes. A file appears only
// when it is complete; where it cannot be written, the result goes to standard
// output, since the work is done.
func (o *output) write(e env, render func(io.Writer) error) error {
	if o.file == "" {
		return files.Buffered(e.stdout, render)
	}
	var result bytes.Buffer
	if err := render(&result); err != nil {
		return err
	}
	err := files.WriteData(o.file, result.Bytes())
	if err != nil {
		_, printed := e.stdout.Write(result.Bytes())
		err = errors.Join(err, printed)
	}
	return err
}

// stream writes as write does what may be too much to be kept for standard output.
func (o *output) stream(e env, render func(io.Writer) error) error {
	if o.file == "" {
		return files.Buffered(e.stdout, render)
	}
	return files.Write(o.file, render)
}

// writeStory writes a story for people.
func (o *output) writeStory(w io.Writer, e env, s explain.Story) error {
	if o.format == "markdown" {
		return s.Markdown(w)
	}
	return s.Terminal(w, o.colour(e))
}
