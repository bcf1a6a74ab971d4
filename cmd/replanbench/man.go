package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"replanbench/cmd/replanbench/topics"
	"replanbench/harness/document/files"
	"replanbench/harness/document/style"
)

func newMan(e env) *cobra.Command {
	var f struct {
		Dir string `arg:"DIR" help:"write all pages in this DIR, which is created if missing"`
	}
	return command(e, &cobra.Command{
		Use:               "man [TOPIC | DIALECT | COMMAND...]",
		Short:             "Print the manual page of a command, topic or dialect, or write all of them",
		ValidArgsFunction: completePages,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if f.Dir != "" {
				return errors.Join(files.NoLinks(f.Dir), writeManual(e, root, f.Dir))
			}
			page, err := find(root, args)
			if err == nil {
				return writePage(e.stdout, page)
			}
			if len(args) == 1 && slices.Contains(pageNames(), args[0]) {
				return writeTopic(e.stdout, args[0])
			}
			return err
		},
	}, &f)
}

// writePage writes the manual page of a command, with the date of the commit that
// the program was built from, so that it is the same for the same program.
func writePage(w io.Writer, cmd *cobra.Command) error {
	cmd.DisableAutoGenTag = true
	var b bytes.Buffer
	header := &doc.GenManHeader{
		Title: pageName(cmd), Section: "1", Source: "replanbench " + version(),
		Manual: "replanbench", Date: built(),
	}
	if err := doc.GenMan(cmd, header, &b); err != nil {
		return fmt.Errorf("the manual page of %s: %w", cmd.CommandPath(), err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeTopic writes the manual page of a topic or a dialect.
func writeTopic(w io.Writer, name string) error {
	text, _ := pageOf(name)
	title, text, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	date := time.Now()
	if at := built(); at != nil {
		date = *at
	}
	page := fmt.Sprintf("%% \"REPLANBENCH-%s\" \"7\" \"%s\" \"replanbench %s\" \"replanbench\"\n\n# "+
		"NAME\n\nreplanbench-%s - %s\n\n# DESCRIPTION\n%s",
		strings.ToUpper(name), date.Format("Jan 2006"), version(), name, title, tabled(linked(text)))
	_, err := w.Write(md2man.Render([]byte(page)))
	return err
}

// tabled formats tables as in a terminal: troff has no room for long cells.
func tabled(text string) string {
	return regexp.MustCompile(`(?m)(^\|.*\n)+`).ReplaceAllStringFunc(text, func(table string) string {
		return "```\n" + topics.Plain(table, 72, style.Palette(false)) + "```\n"
	})
}

// linked turns links to other topics into the names of their pages, and leaves those
// into the source out.
func linked(text string) string {
	text = regexp.MustCompile(`\[([^\]]*)\]\((?:\.\.|#)[^)]*\)`).ReplaceAllString(text, "$1")
	return regexp.MustCompile(`\[([^\]]*)\]\((\w+)\.md[^)]*\)`).ReplaceAllStringFunc(text, func(link string) string {
		name, file, _ := strings.Cut(strings.Trim(link, "[)"), "](")
		file, _, _ = strings.Cut(file, ".md")
		if name == file {
			return "replanbench-" + file + "(7)"
		}
		return name + " (replanbench-" + file + "(7))"
	})
}

// built is the date of the commit that the program was built from. It is nil if the date
// is unknown: then a manual has the date in SOURCE_DATE_EPOCH, or today's.
func built() *time.Time {
	info, _ := debug.ReadBuildInfo()
	at, err := time.Parse(time.RFC3339, buildSetting(info, "vcs.time"))
	if err != nil {
		return nil
	}
	return &at
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// writeManual writes the pages of a command and of all below it, of all topics
// and of all dialects.
func writeManual(e env, root *cobra.Command, dir string) error {
	n := 0
	write := func(section, name string, page func(io.Writer) error) error {
		n++
		if err := os.MkdirAll(filepath.Join(dir, "man"+section), 0o755); err != nil {
			return usagef("%s: %w", dir, files.Cause(err))
		}
		return files.Write(filepath.Join(dir, "man"+section, name+"."+section), page)
	}
	var visit func(*cobra.Command) error
	visit = func(cmd *cobra.Command) error {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return nil
		}
		err := write("1", pageName(cmd), func(w io.Writer) error { return writePage(w, cmd) })
		for _, sub := range cmd.Commands() {
			if err == nil {
				err = visit(sub)
			}
		}
		return err
	}
	err := visit(root)
	for _, name := range pageNames() {
		if err == nil {
			err = write("7", "replanbench-"+name, func(w io.Writer) error { return writeTopic(w, name) })
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%d pages written to %s\n", n, dir)
	return nil
}
