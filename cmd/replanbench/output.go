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

	"replanbench/cmd/replanbench/option"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/files"
	"replanbench/harness/document/style"
	"replanbench/reports"
	"replanbench/reports/gate"
	"replanbench/reports/screen"
)

// outFile is the file that a command writes its result to.
type outFile struct {
	Out string `group:"Flags of the result" writes:"" line:"no" extensions:"${extensions}" arg:"FILE" help:"write the ${result} to this FILE instead of standard output${or}"`
}

// output is how and where a command writes its result.
type output struct {
	outFile `set:"result=result|or=|extensions=.txt"`
	Format  string `group:"Flags of the result" enum:"${forms}" line:"no" help:"how to write the result"`
}

// reportOutput is how and where a command writes its report.
type reportOutput struct {
	output  `set:"forms=${formats}"`
	Also    targets `group:"Flags of the result" name:"report" line:"no" list:"${report-forms}" help:"also write the report in this format to a file; may be given several times"`
	Verbose bool    `group:"Flags of the result" line:"no" help:"print all tables and failures above the final screen"`
	Quiet   bool    `group:"Flags of the result" line:"no" rare:"" help:"show no progress, and no screen if --out is given"`
	earlierRun
}

// target is a form of a report and the file that it is written to.
type target struct{ format, file string }

// targets is a flag value that may be given several times: FORMAT=FILE.
type targets []target

func (t *targets) Type() string { return "FORMAT=FILE" }

func (t *targets) String() string {
	list := collect.Map(*t, func(x target) string { return x.format + "=" + x.file })
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

func (t *targets) files() []string {
	return collect.Map(*t, func(x target) string { return x.file })
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

// orDir lets --out name what --dir names: an existing directory, or a new name without an
// extension.
func (o *outFile) orDir(dir *string) error {
	if *dir == "" && o.Out != "" && namesFolder(o.Out) {
		*dir, o.Out = o.Out, ""
	}
	return files.NoLinks(*dir)
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

// writeReport writes a report in all the forms asked for, and the final screen.
func (o *reportOutput) writeReport(e env, r *reports.Report) error {
	return o.writeForms(e, r, func(w io.Writer) error {
		return r.Terminal(w, reports.View{Colour: e.colour(), Columns: e.columns(), Verbose: o.Verbose, Kept: o.kept()})
	})
}

// writeForms writes a report in all the forms asked for, and screen to standard output unless
// the report itself goes there. In the form github it also writes the summary of the step, if
// there is one.
func (o *reportOutput) writeForms(e env, r *reports.Report, screen func(io.Writer) error) error {
	report := screen
	if o.Format != "table" || o.Out != "" {
		report = func(w io.Writer) error { return r.Write(w, o.Format) }
	}
	err := o.write(e, report)
	if o.Out != "" && !o.Quiet && err == nil {
		err = files.Buffered(e.stdout, screen)
	}
	formats := []string{o.Format}
	for _, t := range o.Also {
		formats = append(formats, t.format)
		err = errors.Join(err, files.Write(t.file, func(w io.Writer) error { return r.Write(w, t.format) }))
	}
	if file := e.getenv(stepSummary); file != "" && slices.Contains(formats, "github") {
		if failed := files.Append(file, r.StepSummary); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", stepSummary, failed))
		}
	}
	return err
}

// kept names the file that contains everything: the page, or another report; "" is none.
func (o *reportOutput) kept() string {
	name := o.Out
	for _, t := range o.Also {
		if name == "" || t.format == "html" {
			name = t.file
		}
	}
	return name
}

// outFormat lets the extension of --out choose the format, and rejects an extension that the command does not know.
func outFormat(list []option.Option) error {
	var out, format option.Option
	for _, f := range list {
		switch f.Name {
		case "out":
			out = f
		case "format":
			format = f
		}
	}
	if out.Flag == nil || namesFolder(out.Value.String()) || format.Flag != nil && format.Changed {
		return nil
	}
	ext := strings.ToLower(filepath.Ext(out.Value.String()))
	if ext == "" {
		return nil
	}
	known := out.Names("extensions")
	if format.Flag != nil {
		for e, name := range reports.Extensions() {
			if slices.Contains(format.Names("enum"), name) {
				if known = append(known, e); e == ext {
					return format.Value.Set(name)
				}
			}
		}
	}
	if slices.Contains(known, ext) {
		return nil
	}
	slices.Sort(known)
	return usagef("--out %s: unknown extension (choose one of %s)", out.Value, strings.Join(known, ", "))
}

// check refuses files that cannot be written, before the work is done.
func (o *reportOutput) check() error {
	var errs []error
	if o.Format == "parquet" && o.Out == "" {
		errs = append(errs, usagef("--format parquet: give --out FILE (a terminal cannot show it)"))
	}
	errs = append(errs, o.outFile.check(), gate.NoCorpus(o.Out))
	for _, t := range o.Also {
		errs = append(errs, files.Writable(t.file), gate.NoCorpus(t.file))
	}
	return errors.Join(errs...)
}

func (o *outFile) check() error {
	if o.Out == "" {
		return nil
	}
	return files.Writable(o.Out)
}

// colour reports whether the result may be coloured.
func (o *outFile) colour(e env) bool { return o.Out == "" && e.colour() }

// write calls render with the place where the result goes. A file appears only
// when it is complete; where it cannot be written, the result goes to standard
// output, since the work is done.
func (o *outFile) write(e env, render func(io.Writer) error) error {
	if o.Out == "" {
		return files.Buffered(e.stdout, render)
	}
	var result bytes.Buffer
	if err := render(&result); err != nil {
		return err
	}
	err := files.WriteData(o.Out, result.Bytes())
	if err != nil {
		_, printed := e.stdout.Write(result.Bytes())
		err = errors.Join(err, printed)
	}
	return err
}

// stream writes as write does what may be too much to be kept for standard output.
func (o *outFile) stream(e env, render func(io.Writer) error) error {
	if o.Out == "" {
		return files.Buffered(e.stdout, render)
	}
	return files.Write(o.Out, render)
}

// screenOutput is how and where a command writes what fits on one screen, or more.
type screenOutput struct {
	output
	Verbose bool `group:"Flags of the result" line:"no" help:"print everything above the final screen"`
}

// show writes the answer on one screen; with --verbose everything, and below it the verdict.
// A file, or another format, contains everything.
func (o *screenOutput) show(e env, s screen.Screen, everything func(io.Writer) error) error {
	return o.write(e, func(w io.Writer) error {
		alone := o.Out != "" || o.Format != "table"
		if alone || o.Verbose {
			if err := everything(w); err != nil || alone {
				return err
			}
			s.Lists = nil
			fmt.Fprintln(w)
		} else {
			s.Next = append(s.Next, screen.Step{Why: "Everything", Command: "--verbose"})
		}
		return s.Write(w, style.Palette(e.colour()), e.columns())
	})
}

// tell writes stories in the form that the flags ask for.
func (o *screenOutput) tell(e env, s screen.Screen, stories ...explain.Story) error {
	return o.show(e, s, func(w io.Writer) error {
		for i, story := range stories {
			if i > 0 {
				fmt.Fprint(w, "\n"+strings.Repeat("─", 80)+"\n\n")
			}
			if err := o.writeStory(w, e, story); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeStory writes a story for people.
func (o *output) writeStory(w io.Writer, e env, s explain.Story) error {
	if o.Format == "markdown" {
		return s.Markdown(w)
	}
	return s.Terminal(w, o.colour(e))
}
