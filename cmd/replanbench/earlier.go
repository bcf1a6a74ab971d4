package main

import (
	"errors"
	"os"

	"replanbench/reports"
)

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
	r.Forgive(before, f.reason())
	return nil
}
