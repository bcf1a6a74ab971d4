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
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// runFlags say how scenarios are run.
type runFlags struct {
	options  suite.Options
	dialects []string
	update   bool
	shard    shard.Shard
	known    knownFlags
	engine   engineFlags
	out      output
}

func newRun(e env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [PATH...]",
		Short: "Run scenarios: hand-written cases with their expected outcomes",
		Long: `Run scenario files, directories of them, or the built-in scenarios, and show each
difference from the expected outcome. Exit code 1 if a scenario of the level must
fails; failures of the level should are only reported.`,
		Example: `  replanbench run
  replanbench run my/scenarios --profile documented
  replanbench run my/scenarios/conflict.txtar --update
  replanbench run --write-known known.txt -- ./my-engine
  replanbench run --known known.txt -- ./my-engine
  replanbench run --format json --out report.json`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wholeOnly(cmd, f.shard, "update", "write-known"); err != nil {
				return err
			}
			return f.run(cmd.Context(), e, f.engine.split(cmd, args))
		},
	}
	cmd.Flags().BoolVar(&f.update, "update", false, "write the engine's outcome into the want.json of scenarios that fail")
	cmd.Flags().StringSliceVar(&f.dialects, "dialect", nil, "run only the scenarios of these `DIALECTS` (a,b)")
	f.known.add(cmd)
	addShard(cmd, &f.shard, "scenarios")
	addCount(cmd, bounded{&f.options.Workers, 0, maxWorkers}, "workers", 0,
		"how many cases may run at once (default one per processor, or what an engine outside this process takes)")
	f.engine.add(cmd)
	f.out.addReport(cmd)
	return cmd
}

func (f *runFlags) run(ctx context.Context, e env, paths []string) error {
	if f.update && len(paths) == 0 {
		return usagef("--update rewrites files: name them, or their directory")
	}
	set, err := scenarios.LoadSet(paths...)
	if err != nil {
		return usageError(err)
	}
	if err := f.choose(&set); err != nil {
		return err
	}
	known, err := f.known.load(e)
	if err != nil {
		return err
	}
	g, err := newGate(ctx, e, f.command(paths), f.engine, f.out.quiet)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(f.shard)
	g.Known, g.KnownFile = known, f.known.read
	results, err := g.Scenarios(ctx, set, f.options)
	switch {
	case err != nil:
		return errors.Join(err, finish(e, g, f.out))
	case f.known.write != "" && ctx.Err() == nil:
		return f.known.save(e, g)
	case f.update:
		return update(ctx, e, results)
	case len(paths) > 0 || f.dialects != nil:
		g.Report.Coverage = nil // it describes whole suites only
	}
	return finish(e, g, f.out)
}

// choose leaves only the scenarios of the dialects that --dialect names.
func (f *runFlags) choose(set *scenarios.Set) error {
	if f.dialects == nil {
		return nil
	}
	for _, d := range f.dialects {
		if all.Find(d) == nil {
			return usagef("--dialect: unknown dialect %q%s (use %s)", d, harness.DidYouMean(d, all.Names()),
				strings.Join(all.Names(), ", "))
		}
	}
	set.List = slices.DeleteFunc(set.List, func(s scenarios.Scenario) bool {
		return !slices.Contains(f.dialects, s.Case.Dialect)
	})
	if len(set.List) == 0 {
		return usagef("--dialect: no scenario of %s there", strings.Join(f.dialects, ", "))
	}
	return nil
}

// command is the command line of the run.
func (f *runFlags) command(paths []string) string {
	args := append([]string{"run"}, paths...)
	if f.dialects != nil {
		args = append(args, "--dialect", strings.Join(f.dialects, ","))
	}
	if f.known.read != "" {
		args = append(args, "--known", f.known.read)
	}
	return escape.Shell(append(args, f.engine.Args()...)...)
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
