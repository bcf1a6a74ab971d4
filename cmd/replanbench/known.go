package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"

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
	Write     string `name:"write-known" group:"Flags for known failures" line:"no" writes:"" whole:"" arg:"FILE" help:"write the failures to a new FILE for --known, or again to the list of replanbench.yaml, which keeps its reasons"`
	NewFrom   string `old:"earlier" conflicts:"write-known" help:"the old name of --earlier"`

	before finding.Baseline // the list that is written again
}

// load reads the known failures and the failures of the earlier report, if any.
func (f *knownFlags) load(e env, out *reportOutput) (finding.Baseline, error) {
	if f.Write != "" {
		err := files.New(f.Write)
		if err != nil && f.List != "" && filepath.Clean(f.Write) == filepath.Clean(f.List) { // of the configuration
			f.before, err = f.known(e)
		}
		return finding.Baseline{}, err
	}
	out.Earlier = cmp.Or(out.Earlier, f.NewFrom)
	return f.knownList.load(e, out)
}

// load reads the known failures and the failures of the earlier report, if any.
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

// save writes the failures as known, and the report in the forms asked for.
func (f *knownFlags) save(e env, g *gate.Gate, out reportOutput) error {
	n, err := g.WriteKnown(f.Write, f.before)
	if err != nil {
		return err
	}
	return out.writeForms(e, g.Report, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s written to %s; say in each entry why it is known, or fix the failure\n",
			english.Plural(n, "failure", ""), escape.Terminal(f.Write))
		return err
	})
}

// earlierRun is the report of an earlier run, or the directory of a history.
type earlierRun struct {
	Earlier string `group:"Flags for known failures" conflicts:"write-known" key:"earlier" arg:"REPORT" help:"compare with this REPORT of an earlier run (--format json): only new failures and worse metrics fail; a directory keeps a line for each run and shows what changed"`

	report *reports.Report
}

// keepsHistory reports whether the earlier runs are a directory.
func (f *earlierRun) keepsHistory() bool {
	info, err := os.Stat(f.Earlier)
	return f.Earlier != "" && (err == nil && info.IsDir() || errors.Is(err, os.ErrNotExist) && namesFolder(f.Earlier))
}

// before returns the earlier report, or nil.
func (f *earlierRun) before(e env) (r *reports.Report, err error) {
	if f.Earlier == "" || f.report != nil || f.keepsHistory() {
		return f.report, nil
	}
	f.report, err = mergeReports(e, []string{f.Earlier})
	return f.report, err
}

func (f *earlierRun) reason() string { return "it was there before (" + inputName(f.Earlier) + ")" }

// score takes the earlier report as the one whose scores must not be worse, and returns its name.
func (f *earlierRun) score() (name string) {
	if !f.keepsHistory() {
		name, f.Earlier = f.Earlier, ""
	}
	return name
}

// compare lets failures of the earlier report fail nothing, and shows a history.
func (f *earlierRun) compare(e env, r *reports.Report) error {
	if f.keepsHistory() {
		return keepHistory(e, f.Earlier, r)
	}
	before, err := f.before(e)
	if err != nil || before == nil {
		return err
	}
	if !r.Comparable(before) {
		e.warn(fmt.Sprintf("--earlier %s: the report of %s has nothing to compare this run with",
			inputName(f.Earlier), strings.Fields(before.Command + " ?")[0]))
	}
	r.Forgive(before, f.reason())
	return nil
}
