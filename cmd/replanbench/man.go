package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"replanbench/harness/files"
)

func newMan(e env) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "Print the manual page of a command, or write all of them",
		Long: `Print the manual page of the program or of a command, or write all pages to a
directory. Completions for shells are printed by: replanbench completion`,
		Example: `  replanbench man fuzz | man -l -
  replanbench man --dir /usr/local/share/man/man1`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if dir != "" {
				return writeManual(e, root, dir)
			}
			page, err := find(root, args)
			if err != nil {
				return err
			}
			return writePage(e.stdout, page)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write all pages to this `DIRECTORY`; it is created if it does not exist")
	return cmd
}

// writePage writes the manual page of a command, with the date of the commit that
// the program was built from, so that it is the same for the same program.
func writePage(w io.Writer, cmd *cobra.Command) error {
	cmd.DisableAutoGenTag = true
	var b bytes.Buffer
	header := &doc.GenManHeader{Title: pageName(cmd), Section: "1", Source: "replanbench " + version(), Manual: "replanbench", Date: built()}
	if err := doc.GenMan(cmd, header, &b); err != nil {
		return fmt.Errorf("the manual page of %s: %w", cmd.CommandPath(), err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// built is the date of the commit that the program was built from; nil, which stands
// for SOURCE_DATE_EPOCH or today, where it is not known.
func built() *time.Time {
	info, _ := debug.ReadBuildInfo()
	at, err := time.Parse(time.RFC3339, recorded(info, "vcs.time"))
	if err != nil {
		return nil
	}
	return &at
}

func pageName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-")
}

// writeManual writes the pages of a command and of all below it.
func writeManual(e env, root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("%s: %w", dir, files.Cause(err))
	}
	n := 0
	var visit func(*cobra.Command) error
	visit = func(cmd *cobra.Command) error {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return nil
		}
		n++
		err := files.Write(filepath.Join(dir, pageName(cmd)+".1"), func(w io.Writer) error { return writePage(w, cmd) })
		for _, sub := range cmd.Commands() {
			if err == nil {
				err = visit(sub)
			}
		}
		return err
	}
	if err := visit(root); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%d pages written to %s\n", n, dir)
	return nil
}
