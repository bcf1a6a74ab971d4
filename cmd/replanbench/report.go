package main

import (
	"cmp"
	"io"
	"os"

	"github.com/spf13/cobra"

	"replanbench/harness/document/files"
	"replanbench/reports"
)

func newReport(e env) *cobra.Command {
	var f struct {
		History string       `writes:"" old:"earlier" help:"the old name of --earlier"`
		Gate    bool         `help:"exit with code 1 unless the verdict is pass"`
		Out     reportOutput `embed:""`
	}
	return command(e, &cobra.Command{
		Use:   "report FILE...",
		Short: "Show stored reports in any format, or merge several",
		Args:  between(1, 10_000),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := onceFromStdin(args); err != nil {
				return err
			}
			merged, err := mergeReports(e, args)
			if err != nil {
				return err
			}
			f.Out.Earlier = cmp.Or(f.Out.Earlier, f.History)
			merged.Conclude()
			now := merged.Past(commit(e)) // before failures become known
			if err := f.Out.compare(e, merged); err != nil {
				return err
			}
			merged.Conclude()
			if before, err := f.Out.before(e); err == nil && before != nil {
				now.Verdict = merged.Verdict
				merged.History = &reports.History{Runs: []reports.Past{before.Past(""), now}}
			}
			if err := f.Out.writeReport(e, merged); err != nil {
				return err
			}
			if f.Gate && merged.Verdict != reports.Passed {
				return gateFailed()
			}
			return nil
		},
	}, &f)
}

func mergeReports(e env, names []string) (*reports.Report, error) {
	var inputs []reports.Input
	for _, name := range names {
		inputs = append(inputs, reports.Input{Name: inputName(name), Open: func() (io.ReadCloser, error) {
			if name == stdinName {
				return io.NopCloser(e.stdin), nil
			}
			if err := files.Readable(name); err != nil {
				return nil, err
			}
			return os.Open(name)
		}})
	}
	var m reports.Merger
	if err := m.AddAll(inputs, maxReport); err != nil {
		return nil, usageError(err)
	}
	merged, err := m.Report()
	if err != nil {
		return nil, usagef("merge the reports: %w", err)
	}
	return merged, nil
}
