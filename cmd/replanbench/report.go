package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"

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
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Show stored reports in any format, or merge several",
		Long: `Read reports (--format json) and show them in another format. Several reports are
merged: the shards of a run (--shard) and the reports of one engine into one report,
the reports of several engines into a leaderboard. A file may contain many reports one
after another, like JSON Lines; "-" is standard input. Memory does not grow with the
number of reports.

The merged report of all shards equals the report of the whole run, except for the
environment. If shards are missing, it is incomplete and names them.

--earlier shows what changed since an earlier report. With a directory, it appends a line
for each run (commit, causes, failures and rates) and compares with the previous one. The
exit code is 0 for every verdict; with --gate it is 1 unless the verdict is pass.`,
		Example: `  replanbench report report.json --format html --out report.html
  replanbench report shard-*.json --format json --out whole.json
  rclone cat REMOTE:BUCKET/shards | replanbench report - --format html --out report.html
  replanbench report mine.json theirs.json --format markdown
  replanbench report report.json --earlier runs --gate`,
		Args: between(1, 10_000),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := onceFromStdin(args); err != nil {
				return err
			}
			merged, err := mergeReports(e, args)
			if err != nil {
				return err
			}
			f.Out.Earlier = cmp.Or(f.Out.Earlier, f.History)
			if err := f.Out.compare(e, merged); err != nil {
				return err
			}
			if before, err := f.Out.before(e); err == nil && before != nil {
				merged.Conclude()
				merged.History = &reports.History{Runs: []reports.Past{before.Past(""), merged.Past(commit(e))}}
			}
			if err := f.Out.writeReport(e, merged); err != nil {
				return err
			}
			if f.Gate && merged.Verdict != reports.Passed {
				return gateFailed()
			}
			return nil
		},
	}
	return command(e, cmd, &f)
}

func mergeReports(e env, names []string) (*reports.Report, error) {
	var m reports.Merger
	for r := range decoded(storedReports(e, names)) {
		if r.err != nil {
			return nil, usageError(r.err)
		}
		if err := m.Add(r.where, r.report); err != nil {
			return nil, usagef("merge the reports: %w", err)
		}
	}
	merged, err := m.Report()
	if err != nil {
		return nil, usagef("merge the reports: %w", err)
	}
	return merged, nil
}

// stored is a report in a file.
type stored struct {
	where  string
	text   []byte
	report *reports.Report
	err    error
}

// named adds the place of the report to an error.
func (s *stored) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.where, err)
}

// decoded decodes the reports in their order, as many at a time as there are processors:
// decoding takes longer than merging.
func decoded(texts iter.Seq[stored]) iter.Seq[stored] {
	return func(yield func(stored) bool) {
		var waiting []chan stored
		next := func() bool {
			first := <-waiting[0]
			waiting = waiting[1:]
			return yield(first)
		}
		for s := range texts {
			done := make(chan stored, 1)
			waiting = append(waiting, done)
			go func() {
				if s.err == nil {
					s.report, s.err = reports.Decode(s.text)
					s.err = s.named(s.err)
				}
				done <- s
			}()
			if len(waiting) > runtime.GOMAXPROCS(0) && !next() {
				return
			}
		}
		for len(waiting) > 0 {
			if !next() {
				return
			}
		}
	}
}

// storedReports reads the reports of the files, one after the other.
func storedReports(e env, names []string) iter.Seq[stored] {
	return func(yield func(stored) bool) {
		for _, name := range names {
			in, err := openReport(e, name)
			if err != nil {
				yield(stored{err: err})
				return
			}
			n, more := 0, true
			for text, err := range reports.Split(in, maxReport) {
				s := stored{where: inputName(name), text: text}
				if n++; n > 1 {
					s.where += fmt.Sprintf(", report %d", n)
				}
				s.err = s.named(err)
				if more = yield(s); !more {
					break
				}
			}
			in.Close()
			if !more {
				return
			}
		}
	}
}

func openReport(e env, name string) (io.ReadCloser, error) {
	if name == stdinName {
		return io.NopCloser(e.stdin), nil
	}
	if err := files.Readable(name); err != nil {
		return nil, err
	}
	return os.Open(name)
}
