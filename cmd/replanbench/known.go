package main

import (
	"fmt"

	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/hunt/finding"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// knownList is the list of failures that are known.
type knownList struct {
	List string `name:"known" key:"known" conflicts:"write-known" group:"Flags for known failures" arg:"FILE" help:"a FILE of known failures that do not fail the gate, one per line: pattern  # reason"`
}

// knownFlags are the flags for failures that are known.
type knownFlags struct {
	knownList `group:"Flags for known failures"`
	Write     string `name:"write-known" group:"Flags for known failures" line:"no" writes:"" whole:"" arg:"FILE" help:"write the failures to a new FILE for --known"`
	NewFrom   string `group:"Flags for known failures" conflicts:"write-known" arg:"REPORT" help:"fail only on failures that are not in this REPORT of an earlier run (--format json)"`

	before *reports.Report // that NewFrom names
}

// load reads the known failures, if any.
func (f *knownFlags) load(e env) (finding.Baseline, error) {
	if f.Write != "" {
		if f.List != "" { // named by the configuration
			return finding.Baseline{}, usagef("give --known or --write-known, not both")
		}
		return finding.Baseline{}, files.New(f.Write)
	}
	known, err := f.known(e)
	if err != nil || f.NewFrom == "" {
		return known, err
	}
	if f.before, err = mergeReports(e, []string{f.NewFrom}); err != nil {
		return known, err
	}
	return known.With(f.before.Wrong(), f.reason()), nil
}

func (f *knownFlags) reason() string { return "it was there before (" + inputName(f.NewFrom) + ")" }

// forgive lets failures that were there before fail nothing.
func (f *knownFlags) forgive(r *reports.Report) {
	if f.before != nil {
		r.Forgive(f.before, f.reason())
	}
}

// known reads the list of known failures, if any.
func (f *knownList) known(e env) (finding.Baseline, error) {
	if f.List == "" {
		return finding.Baseline{}, nil
	}
	data, err := readInput(e, f.List)
	if err != nil {
		return finding.Baseline{}, err
	}
	b, err := finding.ParseBaseline(f.List, data)
	return b, usageError(err)
}

// save writes the failures as known.
func (f *knownFlags) save(e env, g *gate.Gate) error {
	n, err := g.WriteKnown(f.Write)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%d failures written to %s; add a reason to each line, or fix the failure\n", n,
		escape.Terminal(f.Write))
	return nil
}
