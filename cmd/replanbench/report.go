package main

import (
	"github.com/spf13/cobra"

	"replanbench/reports"
)

func newReport(e env) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Show stored reports in any format, or merge several",
		Long: `Read reports (--format json) and show them in another format. Several become one:
the shards of a campaign become that campaign, the reports of one engine one
report, and those of several engines a leaderboard. "-" is standard input.

Exit code 1 if the verdict is not pass.`,
		Example: `  replanbench report report.json --format html --out report.html
  replanbench report shard-*.json --format json --out whole.json
  replanbench report mine.json theirs.json --format markdown`,
		Args: between(1, 10_000),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := onceFromStdin(args); err != nil {
				return err
			}
			merged, err := mergeReports(e, args)
			if err != nil {
				return err
			}
			if err := out.writeReport(e, merged); err != nil {
				return err
			}
			if merged.Verdict != reports.Passed {
				return gateFailed()
			}
			return nil
		},
	}
	out.add(cmd, reports.Formats()...)
	out.addReports(cmd)
	return cmd
}

func mergeReports(e env, names []string) (*reports.Report, error) {
	var list []*reports.Report
	for _, name := range names {
		data, err := readUpTo(e, name, maxReport)
		if err != nil {
			return nil, err
		}
		r, err := reports.Decode(data)
		if err != nil {
			return nil, usagef("%s: %w", inputName(name), err)
		}
		list = append(list, r)
	}
	merged, err := reports.Merge(list...)
	if err != nil {
		return nil, usagef("merge the reports: %w", err)
	}
	return merged, nil
}
