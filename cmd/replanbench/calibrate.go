package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/calibrate"
	"replanbench/harness/score/choice"
	"replanbench/reports/gate"
)

// calibrateFlags choose the measurements.
type calibrateFlags struct {
	recorded
	Dialect     string   `enum:"${calibrated-dialects}" line:"yes" help:"the dialect of the engines"`
	Seeds       int      `default:"5" range:"1,1000" line:"yes" conflicts:"scenarios" help:"number of seeds for each defect: 1, 2, …"`
	Cases       int      `default:"20000" range:"1," line:"yes" conflicts:"scenarios" help:"number of cases for each seed"`
	Defects     []string `list:"${defects}" conflicts:"scenarios" arg:"DEFECTS" help:"test only these DEFECTS (a,b; see replanbench list defects)"`
	Scenarios   bool     `help:"run the built-in scenarios against the defects of all dialects"`
	Causes      bool     `whole:"" help:"measure how well causes name the defects, for one and for several defects per engine"`
	Sets        int      `default:"20" line:"no" help:"with --causes: number of engines with two to four defects"`
	shardFlag   `line:"no" set:"parts=defects"`
	choice.Work `set:"work=campaigns|many="`
	Out         reportOutput `embed:""`
}

// options returns what the measurements need.
func (f *calibrateFlags) options() (o calibrate.CauseOptions, err error) {
	o.Dialect, o.Seeds, o.Cases, o.Workers, o.Shard, o.Sets = f.Dialect, f.Seeds, f.Cases, f.Workers, f.Shard, f.Sets
	o.Defects, err = calibrate.Choose(f.Dialect, f.Defects)
	return o, err
}

func newCalibrate(e env) *cobra.Command {
	var f calibrateFlags
	return command(e, &cobra.Command{
		Use:   "calibrate",
		Short: "Run campaigns against engines with a known defect, and show which checks find it",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Scenarios {
				return f.runScenarios(cmd, e)
			}
			return f.run(cmd.Context(), e)
		},
	}, &f)
}

// runScenarios shows which scenarios each defect fails.
func (f *calibrateFlags) runScenarios(cmd *cobra.Command, e env) error {
	dialects, again := calibrate.Dialects(), "calibrate --scenarios"
	if cmd.Flags().Changed("dialect") {
		dialects, again = []string{f.Dialect}, again+" --dialect "+f.Dialect
	}
	g := gate.Begin(again, version(), defective())
	g.Cut(f.Shard)
	progress := newProgress(e, f.Out.Quiet)
	tables, err := calibrate.Scenarios(cmd.Context(), dialects, f.Shard, f.Workers, progress.counting("defects"))
	progress.end()
	g.Report.AddShown(tables, "replanbench "+again)
	return errors.Join(err, finish(e, g, f.Out))
}

func (f *calibrateFlags) run(ctx context.Context, e env) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	campaignHeap().use(e)
	g := gate.Begin(escape.Shell(f.line([]string{"calibrate"}, "earlier")...), version(), defective())
	g.Cut(f.Shard)
	progress := newProgress(e, f.Out.Quiet)
	if f.Causes { // they pass no gate: the figures are for people
		o.Progress = progress.counting("engines")
		var res calibrate.Causes
		res, err = calibrate.RunCauses(ctx, o)
		g.Report.AddCauses(res)
	} else {
		o.Progress = progress.counting("campaigns")
		var res calibrate.Result
		res, err = calibrate.Run(ctx, o.Options)
		g.Report.AddCalibration(res, o.Reproduce)
	}
	progress.end()
	return errors.Join(err, finish(e, g, f.Out))
}

// defective introduces the engines with a defect.
func defective() harness.Hello { return harness.Hello{Name: "defects", Version: harness.Version} }
