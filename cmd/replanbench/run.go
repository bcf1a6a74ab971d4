package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// runFlags say how scenarios are run.
type runFlags struct {
	recorded
	Update    bool     `whole:"" line:"no" help:"write the engine's outcome into the want.json of scenarios that fail"`
	Dialect   []string `list:"${dialects}" arg:"DIALECTS" help:"run only the scenarios of these DIALECTS (a,b)"`
	Workers   int      `range:"0,1024" line:"no" help:"number of cases that run at once (default one per processor, or as many as the engine accepts)"`
	shardFlag `line:"no" set:"parts=scenarios"`
	Known     knownFlags `embed:""`
	engineFlags
	Out reportOutput `embed:""`
}

func newRun(e env) *cobra.Command {
	var f runFlags
	return command(e, &cobra.Command{
		Use:   "run [PATH...] [flags] [-- COMMAND]",
		Short: "Run scenarios: hand-written cases with their expected outcomes",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), e, split(cmd, args, &f.Command))
		},
	}, &f)
}

func (f *runFlags) run(ctx context.Context, e env, paths []string) error {
	campaignHeap().use(e)
	if f.Update && len(paths) == 0 {
		return usagef("--update rewrites files: name them, or their directory")
	}
	set, err := scenarios.LoadSet(paths...)
	if err != nil {
		return usageError(err)
	}
	if err := f.choose(&set); err != nil {
		return err
	}
	known, err := f.Known.load(e, &f.Out)
	if err != nil {
		return err
	}
	g, err := newGate(ctx, e, escape.Shell(append(f.line(append([]string{"run"}, paths...)), f.Args()...)...), f.engineFlags, f.Out)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(f.Shard)
	g.Known, g.KnownFile = known, f.Known.List
	results, err := g.Scenarios(ctx, set, suite.Options{Workers: f.Workers})
	switch {
	case err != nil:
		return errors.Join(err, finish(e, g, f.Out))
	case f.Known.Write != "" && ctx.Err() == nil:
		return f.Known.save(e, g, f.Out)
	case f.Update:
		return update(ctx, e, results)
	case len(paths) > 0 || f.Dialect != nil:
		g.Report.Coverage = nil // it describes whole suites only
	}
	return finish(e, g, f.Out)
}

// choose leaves only the scenarios of the dialects that --dialect names.
func (f *runFlags) choose(set *scenarios.Set) error {
	if f.Dialect == nil {
		return nil
	}
	for _, d := range f.Dialect {
		if all.Find(d) == nil {
			return usagef("--dialect: unknown dialect %q%s (use %s)", d, harness.DidYouMean(d, all.Names()),
				strings.Join(all.Names(), ", "))
		}
	}
	set.List = slices.DeleteFunc(set.List, func(s scenarios.Scenario) bool {
		return !slices.Contains(f.Dialect, s.Case.Dialect)
	})
	if len(set.List) == 0 {
		return usagef("--dialect: no scenario of %s there", strings.Join(f.Dialect, ", "))
	}
	return nil
}

// update rewrites the files of the scenarios that failed.
func update(ctx context.Context, e env, results []suite.Result) error {
	rewritten, err := suite.Update(results)
	for _, file := range rewritten {
		fmt.Fprintln(e.stdout, "rewrote "+escape.Terminal(file))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "rewrote %d of %d scenarios; read the changes before you keep them\n", len(rewritten),
		len(results))
	return ctx.Err()
}
