package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness/engine/adapters"
	"replanbench/reports/escape"
)

func newInit(e env) *cobra.Command {
	var language, dir string
	var force bool
	var names []string
	for _, a := range adapters.All() {
		names = append(names, a.Language)
	}
	cmd := &cobra.Command{
		Use:   "init --adapter LANGUAGE",
		Short: "Write the files that a project needs to begin with",
		Long: `Write an adapter: one file without dependencies that connects your patch logic
to replanbench, with one function to fill in. A file that exists is left alone.`,
		Example: `  replanbench init --adapter python
  replanbench init --adapter node --dir test/replan
  replanbench init --adapter go --force`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if language == "" {
				return usagef("--adapter LANGUAGE is missing (there are %s)", strings.Join(names, ", "))
			}
			a, err := adapters.Find(language)
			if err != nil {
				return usagef("--adapter: %w%s", err, didYouMean(language, names))
			}
			return writeAdapter(e, a, dir, force)
		},
	}
	cmd.Flags().StringVar(&language, "adapter", "", "the `LANGUAGE` of the adapter: "+strings.Join(names, ", "))
	cmd.Flags().StringVar(&dir, "dir", ".", "the `DIRECTORY` to write to; it is made if need be")
	cmd.Flags().BoolVar(&force, "force", false, "write over files that exist")
	return cmd
}

// writeAdapter writes an adapter and says what to do with it.
func writeAdapter(e env, a adapters.Adapter, dir string, force bool) error {
	file := filepath.Join(dir, a.File)
	if err := mayWrite(file, force); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return usagef("%s: %w", filepath.Dir(file), cause(err))
	}
	err := writeFile(file, func(w io.Writer) error {
		_, err := w.Write(a.Source())
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "written %s\n\nFill in the function %s, then:\n\n", escape.Terminal(file), a.Function)
	if dir != "." {
		fmt.Fprintf(e.stdout, "  cd %s\n", escape.Shell(dir))
	}
	if a.Build != nil {
		fmt.Fprintf(e.stdout, "  %s\n", strings.Join(a.Build, " "))
	}
	command := strings.Join(a.Command, " ")
	fmt.Fprintf(e.stdout, "  replanbench engine check -- %s\n  replanbench fuzz -- %s\n", command, command)
	return nil
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
