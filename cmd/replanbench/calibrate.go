package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/hunt/calibrate"
	"replanbench/reports/gate"
)

// calibrateFlags choose the measurements.
type calibrateFlags struct {
	calibrate.CauseOptions
	defects   []string
	scenarios bool
	causes    bool
	out       output
}

func newCalibrate(e env) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Run campaigns against engines with a known defect, and show which checks find it",
		Long: `Run a campaign against every built-in engine with a known defect, with several
seeds, and print the kill table: which check found the defect, after how many
cases, and how small the shrunk case is. Exit code 1 if a defect survives, or if
a campaign finds something in the reference, which has no defect.

--scenarios instead runs the built-in scenarios against every defect of every dialect
(or of --dialect), and prints the scenarios that each defect fails. Exit code 1 if
fewer than 97 of 100 defects fail any scenario.`,
		Example: `  replanbench calibrate
  replanbench calibrate --defects accepts-cycle,half-applied --seeds 20
  replanbench calibrate --format markdown --out kills.md
  replanbench calibrate --scenarios`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := wholeOnly(cmd, f.Shard, "causes"); err != nil {
				return err
			}
			if f.scenarios {
				return f.runScenarios(cmd, e)
			}
			return f.run(cmd.Context(), e)
		},
	}
	flags := cmd.Flags()
	addChoice(cmd, &f.Dialect, "dialect", "the dialect of the engines", calibrate.Dialects()...)
	flags.StringSliceVar(&f.defects, "defects", nil, "test only these `DEFECTS` (a,b; see replanbench list defects)")
	addCount(cmd, bounded{&f.Seeds, 1, 1000}, "seeds", 5, "number of seeds for each defect: 1, 2, …")
	flags.IntVar(&f.Cases, "cases", gate.DefaultCases, "number of cases for each seed")
	flags.BoolVar(&f.scenarios, "scenarios", false, "run the built-in scenarios against the defects of all dialects")
	flags.BoolVar(&f.causes, "causes", false,
		"measure how well causes name the defects, for one and for several defects per engine")
	flags.IntVar(&f.Sets, "sets", 20, "with --causes: number of engines with two to four defects")
	addShard(cmd, &f.Shard, "defects")
	addWorkers(cmd, &f.Workers, "campaigns")
	f.out.addReport(cmd)
	return cmd
}

// runScenarios shows which scenarios each defect fails.
func (f *calibrateFlags) runScenarios(cmd *cobra.Command, e env) error {
	for _, name := range []string{"defects", "seeds", "cases"} {
		if cmd.Flags().Changed(name) {
			return usagef("--scenarios and --%s do not go together: scenarios are not drawn, and all defects are run", name)
		}
	}
	dialects, again := calibrate.Dialects(), "calibrate --scenarios"
	if cmd.Flags().Changed("dialect") {
		dialects, again = []string{f.Dialect}, again+" --dialect "+f.Dialect
	}
	g := gate.Begin(again, version(), harness.Hello{Name: "defects", Version: harness.Version})
	g.Cut(f.Shard)
	progress := newProgress(e, f.out.quiet)
	tables, err := calibrate.Scenarios(cmd.Context(), dialects, f.Shard, f.Workers, progress.counting("defects"))
	progress.end()
	g.Report.AddShown(tables, "replanbench "+again)
	return errors.Join(err, finish(e, g, f.out))
}

func (f *calibrateFlags) run(ctx context.Context, e env) error {
	if f.Cases < 1 {
		return usagef("--cases %d: at least one case is needed", f.Cases)
	}
	var err error
	if f.Defects, err = calibrate.Choose(f.Dialect, f.defects); err != nil {
		return err
	}
	campaignHeap().use(e)
	if f.causes {
		return f.runCauses(ctx, e)
	}
	g := gate.Begin(f.Command(f.defects), version(), harness.Hello{Name: "defects", Version: harness.Version})
	g.Cut(f.Shard)
	progress := newProgress(e, f.out.quiet)
	f.Progress = progress.counting("campaigns")
	res, err := calibrate.Run(ctx, f.Options)
	progress.end()
	g.Report.AddCalibration(res, f.Reproduce)
	return errors.Join(err, finish(e, g, f.out))
}

// runCauses measures the causes, and passes no gate: the figures are for people.
func (f *calibrateFlags) runCauses(ctx context.Context, e env) error {
	g := gate.Begin(f.Command(f.defects)+" --causes", version(), harness.Hello{Name: "defects", Version: harness.Version})
	progress := newProgress(e, f.out.quiet)
	f.Progress = progress.counting("engines")
	res, err := calibrate.RunCauses(ctx, f.CauseOptions)
	progress.end()
	g.Report.AddCauses(res)
	return errors.Join(err, finish(e, g, f.out))
}
