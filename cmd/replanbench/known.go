package main

import (
	"cmp"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/hunt/finding"
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
	NewFrom   string `old:"earlier" conflicts:"write-known" help:"the old name of --earlier"`
}

// load reads the known failures and those of the earlier report, if any.
func (f *knownFlags) load(e env, out *reportOutput) (finding.Baseline, error) {
	if f.Write != "" {
		if f.List != "" { // named by the configuration
			return finding.Baseline{}, usagef("give --known or --write-known, not both")
		}
		return finding.Baseline{}, files.New(f.Write)
	}
	out.Earlier = cmp.Or(out.Earlier, f.NewFrom)
	return f.knownList.load(e, out)
}

// load reads the known failures and those of the earlier report, if any.
func (f *knownList) load(e env, out *reportOutput) (finding.Baseline, error) {
	known, err := f.known(e)
	if err != nil {
		return known, err
	}
	before, err := out.before(e)
	if err != nil || before == nil {
		return known, err
	}
	return known.With(before.Wrong(), out.reason()), nil
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
	fmt.Fprintf(e.stdout, "%s written to %s; add a reason to each line, or fix the failure\n",
		english.Plural(n, "failure", ""), escape.Terminal(f.Write))
	return nil
}
