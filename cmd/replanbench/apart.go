package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"replanbench/harness/config"
	"replanbench/harness/document/files"
)

// apart refuses a command line that writes a file that it reads. Every argument and
// every value of another flag counts as the name of an input, and so does the part of
// a value after its =.
func apart(cmd *cobra.Command, args []string) error {
	var outputs, inputs []string
	var unnamed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		unnamed = errors.Join(unnamed, misnamed(f))
		if _, out := f.Annotations[writes]; out && f.Value.String() != "" {
			outputs = append(outputs, f.Value.String())
		} else if t, ok := f.Value.(*targets); ok {
			outputs = append(outputs, t.files()...)
		} else if f.Changed {
			inputs = append(inputs, valuesOf(f)...)
		}
	})
	for _, in := range append(inputs, args...) {
		unnamed = errors.Join(unnamed, files.Dangling(in))
	}
	return errors.Join(unnamed, filesApart(outputs, append(inputs, args...)))
}

// misnamed refuses a name that is none, and one of a file where a directory is meant.
func misnamed(f *pflag.Flag) error {
	what, _ := pflag.UnquoteUsage(f)
	name := f.Value.String()
	switch {
	case !f.Changed || what != "FILE" && what != "DIR":
		return nil
	case name == "":
		return usagef("--%s: the name is empty (name a file, or leave the flag out)", f.Name)
	case what == "DIR":
		info, err := os.Stat(name)
		if err == nil && !info.IsDir() {
			return usagef("--%s %s: is a file (name a directory)", f.Name, name)
		} else if err != nil && slices.Contains(fileEndings(), strings.ToLower(filepath.Ext(name))) {
			return usagef("--%s %s: name a directory (--out FILE and --report FORMAT=FILE write the report)", f.Name, name)
		}
	}
	return nil
}

// fileEndings are the extensions of files that commands write or read.
func fileEndings() []string {
	return []string{
		".json", ".jsonl", ".html", ".xml", ".sarif", ".md", ".csv", ".parquet", ".txt", ".txtar", ".zst",
		".gz", ".yaml", ".yml",
	}
}

func valuesOf(f *pflag.Flag) (list []string) {
	given := []string{f.Value.String()}
	if several, ok := f.Value.(pflag.SliceValue); ok {
		given = several.GetSlice()
	}
	for _, v := range given {
		list = append(list, v)
		if _, file, ok := strings.Cut(v, "="); ok {
			list = append(list, file)
		}
	}
	return list
}

// filesApart refuses outputs that are inputs, scenarios in a directory among them.
func filesApart(outputs, inputs []string) error {
	if err := files.Apart(outputs, inputs); err != nil {
		return err
	}
	for _, out := range outputs {
		for _, in := range inputs {
			if info, err := os.Stat(in); err != nil || !info.IsDir() || filepath.Ext(out) != ".txtar" {
				continue
			}
			if rel, err := filepath.Rel(in, out); err == nil && filepath.IsLocal(rel) {
				return usagef("%s would be read as a scenario of %s (name another file for the result)", out, in)
			}
		}
	}
	return nil
}

// configApart refuses outputs that the configuration reads.
func (f *checkFlags) configApart(c *config.Config) error {
	outputs := f.Out.Also.files() // which are the configuration's, too
	for _, out := range []string{f.Out.Out, f.Known.Write} {
		if out != "" {
			outputs = append(outputs, out)
		}
	}
	file := f.Config
	if file == "" {
		file = config.FileName
	}
	inputs := []string{file, c.Known, c.Baseline}
	s := c.Suites
	for _, list := range [][]string{c.Engine.Command, s.Scenarios.Paths, s.Corpora.Files, s.Trim.History} {
		inputs = append(inputs, list...)
	}
	return filesApart(outputs, inputs)
}
