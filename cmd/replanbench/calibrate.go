package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/calibrate"
	"replanbench/harness/dialect/all"
	"replanbench/harness/mutant"
	"replanbench/reports"
	"replanbench/reports/escape"
)

// calibrateFlags choose what is measured.
type calibrateFlags struct {
	calibrate.Options
	defects []string
	quiet   bool
}

func newCalibrate(e env) *cobra.Command {
	var f calibrateFlags
	var out output
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Run campaigns against engines with a known defect and show what finds them",
		Long: `Run a campaign against every built-in engine with a known defect, with several
seeds, and print the kill table: which check found the defect, after how many
cases, and how small the case is that is left to look at. Exit code 1 if a
defect survives, or if something is found in the reference, which has none.`,
		Example: `  replanbench calibrate
  replanbench calibrate --defects accepts-cycle,half-applied --seeds 20
  replanbench calibrate --format markdown --out kills.md`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCalibrate(cmd.Context(), e, f, out) },
	}
	flags := cmd.Flags()
	addChoice(cmd, &f.Dialect, "dialect", "the dialect of the engines", calibrate.Dialects()...)
	flags.StringSliceVar(&f.defects, "defects", nil, "hunt these `DEFECTS` only (a,b; see replanbench list defects)")
	addCount(cmd, &f.Seeds, "seeds", 5, 1, 1000, "hunt each defect with so many seeds: 1, 2, …")
	flags.IntVar(&f.Cases, "cases", 20000, "how many cases to try with each seed")
	addWorkers(cmd, &f.Workers, "how many campaigns may run at once (default one per processor)")
	addQuiet(cmd, &f.quiet)
	out.add(cmd, reports.Formats()...)
	return cmd
}

func runCalibrate(ctx context.Context, e env, f calibrateFlags, out output) error {
	if f.Seeds < 1 || f.Cases < 1 || f.Workers < 0 {
		return usagef("--seeds, --cases and --workers are positive")
	}
	var err error
	if f.Defects, err = chooseDefects(f.Dialect, f.defects); err != nil {
		return err
	}
	relaxGC(e)
	started := time.Now()
	progress := newProgress(e, f.quiet)
	f.Progress = progress.counting("campaigns")
	res, err := calibrate.Run(ctx, f.Options)
	progress.end()
	report := reports.New(f.command(), version(), harness.Hello{Name: "defects", Version: harness.Version})
	report.AddCalibration(res, f.again)
	g := &gate{env: e, report: report, started: started}
	return errors.Join(err, g.finish(out))
}

// chooseDefects returns the defects of a dialect, or those named.
func chooseDefects(dialect string, names []string) ([]mutant.Defect, error) {
	defects := all.Defects(dialect)
	if names == nil {
		return defects, nil
	}
	var list []mutant.Defect
	for _, name := range names {
		i := slices.IndexFunc(defects, func(d mutant.Defect) bool { return d.Name == name })
		if i < 0 {
			var known []string
			for _, d := range defects {
				known = append(known, d.Name)
			}
			return nil, usagef("--defects %s: %s has no such defect%s (see replanbench list defects)", name, dialect, didYouMean(name, known))
		}
		list = append(list, defects[i])
	}
	return list, nil
}

// command is the command line without what changes nothing in the report.
func (f *calibrateFlags) command() string {
	args := []string{"calibrate", "--dialect", f.Dialect, "--seeds", fmt.Sprint(f.Seeds), "--cases", fmt.Sprint(f.Cases)}
	if f.defects != nil {
		args = append(args, "--defects", strings.Join(f.defects, ","))
	}
	return escape.Shell(args...)
}

// again is the campaign of one defect and seed, or of the reference.
func (f *calibrateFlags) again(defect string, seed uint64) string {
	args := []string{"replanbench", "fuzz", "--dialect", f.Dialect, "--seed", fmt.Sprint(seed), "--cases", fmt.Sprint(f.Cases)}
	if defect != "" {
		args = append(args, "--engine", "defect:"+defect)
	}
	return escape.Shell(args...)
}
