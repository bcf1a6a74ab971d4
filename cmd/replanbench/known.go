package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/hunt/finding"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// knownFlags are the flags for failures that are known.
type knownFlags struct {
	read    string
	write   string
	newFrom string
	before  *reports.Report // that newFrom names
}

func (f *knownFlags) addRead(cmd *cobra.Command) {
	defer inGroup(cmd, groupKnown)()
	cmd.Flags().StringVar(&f.read, "known", "",
		"a `FILE` of known failures that do not fail the gate, one per line: pattern  # reason")
}

func (f *knownFlags) add(cmd *cobra.Command) {
	defer inGroup(cmd, groupKnown)()
	f.addRead(cmd)
	cmd.Flags().StringVar(&f.write, "write-known", "", "write the failures to a new `FILE` for --known")
	markWritten(cmd, "write-known")
	cmd.Flags().StringVar(&f.newFrom, "new-from", "",
		"fail only on failures that are not in this `REPORT` of an earlier run (--format json)")
}

// load reads the known failures, if any.
func (f *knownFlags) load(e env) (finding.Baseline, error) {
	known, err := f.list(e)
	if err != nil || f.newFrom == "" {
		return known, err
	}
	if f.before, err = mergeReports(e, []string{f.newFrom}); err != nil {
		return known, err
	}
	return known.With(f.before.Wrong(), f.reason()), nil
}

func (f *knownFlags) reason() string { return "it was there before (" + inputName(f.newFrom) + ")" }

// forgive lets failures that were there before fail nothing.
func (f *knownFlags) forgive(r *reports.Report) {
	if f.before != nil {
		r.Forgive(f.before, f.reason())
	}
}

// list reads the list of known failures, if any.
func (f *knownFlags) list(e env) (finding.Baseline, error) {
	switch {
	case f.newFrom != "" && f.write != "":
		return finding.Baseline{}, usagef("give --new-from or --write-known, not both")
	case f.read != "" && f.write != "":
		return finding.Baseline{}, usagef("give --known or --write-known, not both")
	case f.write != "":
		return finding.Baseline{}, files.New(f.write)
	case f.read == "":
		return finding.Baseline{}, nil
	}
	data, err := readInput(e, f.read)
	if err != nil {
		return finding.Baseline{}, err
	}
	b, err := finding.ParseBaseline(f.read, data)
	return b, usageError(err)
}

// save writes the failures as known.
func (f *knownFlags) save(e env, g *gate.Gate) error {
	n, err := g.WriteKnown(f.write)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%d failures written to %s; add a reason to each line, or fix the failure\n", n,
		escape.Terminal(f.write))
	return nil
}
