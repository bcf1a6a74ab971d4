package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/calibrate"
	"replanbench/harness/gate"
	"replanbench/reports"
)

// calibrateFlags choose what is measured.
type calibrateFlags struct {
	calibrate.Options
	defects []string
	quiet   bool
	out     output
}

func newCalibrate(e env) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Run campaigns against engines with a known defect, and show which checks find it",
		Long: `Run a campaign against every built-in engine with a known defect, with several
seeds, and print the kill table: which check found the defect, after how many
cases, and how small the shrunk case is. Exit code 1 if a defect survives, or if
a campaign finds something in the reference, which has no defect.`,
		Example: `  replanbench calibrate
  replanbench calibrate --defects accepts-cycle,half-applied --seeds 20
  replanbench calibrate --format markdown --out kills.md`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}
	flags := cmd.Flags()
	addChoice(cmd, &f.Dialect, "dialect", "the dialect of the engines", calibrate.Dialects()...)
	flags.StringSliceVar(&f.defects, "defects", nil, "look for these `DEFECTS` only (a,b; see replanbench list defects)")
	addCount(cmd, bounded{&f.Seeds, 1, 1000}, "seeds", 5, "look for each defect with so many seeds: 1, 2, …")
	flags.IntVar(&f.Cases, "cases", gate.DefaultCases, "how many cases to try with each seed")
	addWorkers(cmd, &f.Workers, "campaigns")
	addQuiet(cmd, &f.quiet)
	f.out.add(cmd, reports.Formats()...)
	return cmd
}

func (f *calibrateFlags) run(ctx context.Context, e env) error {
	if f.Cases < 1 {
		return usagef("--cases %d: at least one case is needed", f.Cases)
	}
	var err error
	if f.Defects, err = calibrate.Choose(f.Dialect, f.defects); err != nil {
		return err
	}
	relaxGC(e)
	g := gate.Begin(f.Command(f.defects), version(), harness.Hello{Name: "defects", Version: harness.Version})
	progress := newProgress(e, f.quiet)
	f.Progress = progress.counting("campaigns")
	res, err := calibrate.Run(ctx, f.Options)
	progress.end()
	g.Report.AddCalibration(res, f.Reproduce)
	return errors.Join(err, finish(e, g, f.out))
}
