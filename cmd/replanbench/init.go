package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"replanbench/harness/config"
	"replanbench/harness/engine/adapters"
	"replanbench/reports/escape"
)

// initFlags say what init writes, and where.
type initFlags struct {
	language string
	dialects []string
	dir      string
	force    bool
}

func newInit(e env) *cobra.Command {
	var f initFlags
	var names []string
	for _, a := range adapters.All() {
		names = append(names, a.Language)
	}
	cmd := &cobra.Command{
		Use:   "init [--adapter LANGUAGE]",
		Short: "Write the files that a project needs to begin with",
		Long: `Write replanbench.yaml with every key explained, a workflow for GitHub Actions,
lines for .gitignore, and, if a language is named, an adapter: one file without
dependencies that connects your patch logic to replanbench, with a function to
fill in.

A file that exists is left as it is, unless you say otherwise: on a terminal you
are asked, elsewhere --force writes over it.`,
		Example: `  replanbench init --adapter python
  replanbench init --adapter node --dir test/replan
  replanbench init --adapter python --dialects operations,trim
  replanbench init --adapter go --force`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var adapter *adapters.Adapter
			if f.language != "" {
				a, err := adapters.Find(f.language)
				if err != nil {
					return usagef("--adapter: %w%s", err, didYouMean(f.language, names))
				}
				adapter = &a
			}
			for _, d := range f.dialects {
				if all := dialectNames(); !slices.Contains(all, d) {
					return usagef("--dialects: %q is none of %s%s", d, strings.Join(all, ", "), didYouMean(d, all))
				}
			}
			return f.run(e, adapter)
		},
	}
	cmd.Flags().StringVar(&f.language, "adapter", "", "also write an adapter in this `LANGUAGE`: "+strings.Join(names, ", ")+"; that for node serves TypeScript too")
	cmd.Flags().StringSliceVar(&f.dialects, "dialects", nil, "the `DIALECTS` that the adapter is for (default planpatch; see replanbench list dialects)")
	cmd.Flags().StringVar(&f.dir, "dir", ".", "the project's `DIRECTORY`; it is made if need be")
	cmd.Flags().BoolVar(&f.force, "force", false, "write over files that exist")
	return cmd
}

// The files that a run of the gate leaves behind.
const (
	pageFile    = "replanbench.html"
	junitFile   = "replanbench.xml"
	findingsDir = "replanbench-findings"
)

//go:embed workflow.yml
var workflow string

// draft is a file that init writes.
type draft struct {
	name   string
	data   []byte
	longer bool // what stands there is kept, and lines are added behind it
}

func (f *initFlags) run(e env, a *adapters.Adapter) error {
	drafts, err := f.drafts(a)
	if err != nil {
		return err
	}
	in, kept := bufio.NewReader(e.stdin), false
	for _, d := range drafts {
		said, err := f.write(e, in, d)
		if err != nil {
			return err
		}
		kept = kept || said == "kept"
		fmt.Fprintf(e.stdout, "%-9s  %s\n", said, escape.Terminal(filepath.Join(f.dir, d.name)))
	}
	if kept {
		fmt.Fprint(e.stdout, "\nWhat is kept differs from what init would write; --force writes over it.\n")
	}
	f.next(e, a)
	return nil
}

// drafts lists the files, the adapter first.
func (f *initFlags) drafts(a *adapters.Adapter) ([]draft, error) {
	c := config.Default()
	c.Suites.Fuzz.Out = findingsDir
	c.Outputs = []config.Output{{Format: "html", File: pageFile}, {Format: "junit", File: junitFile}}
	var list []draft
	var build string
	if a != nil {
		c.Engine.Command = a.Command
		build = strings.Join(a.Build, " ")
		list = append(list, draft{name: filepath.FromSlash(a.File), data: a.Source(f.dialects...)})
	}
	t, err := template.New("workflow").Delims("<<", ">>").Parse(workflow)
	if err != nil {
		return nil, fmt.Errorf("the template of the workflow: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]string{"Build": build, "Page": pageFile, "JUnit": junitFile, "Findings": findingsDir}); err != nil {
		return nil, fmt.Errorf("the template of the workflow: %w", err)
	}
	ignored, err := f.ignored()
	return append(list,
		draft{name: config.FileName, data: c.Commented()},
		draft{name: filepath.Join(".github", "workflows", "replanbench.yml"), data: b.Bytes()},
		draft{name: ".gitignore", data: ignored, longer: true},
	), err
}

// ignored is the .gitignore as it is, with the lines that it lacks at its end.
func (f *initFlags) ignored() ([]byte, error) {
	name := filepath.Join(f.dir, ".gitignore")
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s: %w", name, cause(err))
	}
	lines := strings.Split(string(old), "\n")
	var lacks []string
	for _, line := range []string{"/" + pageFile, "/" + junitFile, "/" + findingsDir + "/"} {
		if !slices.Contains(lines, line) {
			lacks = append(lacks, line)
		}
	}
	if lacks == nil {
		return old, nil
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	return append(old, "# what replanbench check leaves behind\n"+strings.Join(lacks, "\n")+"\n"...), nil
}

// write writes a file, unless it exists and is to stay, and says what it did.
func (f *initFlags) write(e env, in *bufio.Reader, d draft) (said string, err error) {
	name := filepath.Join(f.dir, d.name)
	old, err := os.ReadFile(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", usagef("%s: %w", name, cause(err))
	case err == nil && bytes.Equal(old, d.data):
		return "unchanged", nil
	case err == nil && !d.longer && !f.force && !overwrites(e, in, name):
		return "kept", nil // it is another than init would write
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", usagef("%s: %w", filepath.Dir(name), cause(err))
	}
	return "written", writeFile(name, func(w io.Writer) error {
		_, err := w.Write(d.data)
		return err
	})
}

// overwrites asks whether a file is to be written over; where nobody can be
// asked it is not.
func overwrites(e env, in *bufio.Reader, name string) bool {
	if !e.inTerminal || !e.errTerminal {
		return false
	}
	fmt.Fprintf(e.stderr, "%s exists and differs; write over it? [y/N] ", escape.Terminal(name))
	answer, err := in.ReadString('\n')
	return err == nil && strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y")
}

// next says what to do now.
func (f *initFlags) next(e env, a *adapters.Adapter) {
	if a == nil {
		fmt.Fprint(e.stdout, "\nName your engine in "+config.FileName+" (replanbench init --adapter writes one), then:\n\n")
	} else {
		fmt.Fprintf(e.stdout, "\nFill in the function %s, then:\n\n", strings.Join(a.ToFill(f.dialects...), " and "))
	}
	if f.dir != "." {
		fmt.Fprintf(e.stdout, "  cd %s\n", escape.Shell(f.dir))
	}
	if a != nil {
		if a.Build != nil {
			fmt.Fprintf(e.stdout, "  %s\n", strings.Join(a.Build, " "))
		}
		command := strings.Join(a.Command, " ")
		fmt.Fprintf(e.stdout, "  replanbench engine check -- %s\n", command)
		fuzz := "replanbench fuzz"
		if len(f.dialects) > 0 {
			fuzz += " --dialect " + f.dialects[0]
		}
		fmt.Fprintf(e.stdout, "  %s -- %s\n", fuzz, command)
	}
	fmt.Fprint(e.stdout, "  replanbench check\n")
}

// mayWrite refuses to write over a file unless it is forced to.
func mayWrite(file string, force bool) error {
	_, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && force:
		return nil
	case err == nil:
		return usagef("%s: the file exists (--force writes over it)", file)
	}
	return usagef("%s: %w", file, cause(err))
}
