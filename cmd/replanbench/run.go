package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/suite"
	"replanbench/reports"
	"replanbench/reports/escape"
	"replanbench/scenarios"
)

func newRun(e env) *cobra.Command {
	var out output
	var engine engineFlags
	var options suite.Options
	var update, quiet bool
	var known knownFlags
	cmd := &cobra.Command{
		Use:   "run [PATH...]",
		Short: "Run scenarios: hand-written cases with what must come of them",
		Long: `Run scenario files, directories of them, or the built-in scenarios, and show
what is not as wanted. Exit code 1 if a scenario of the level must fails; one of
the level should is reported only.`,
		Example: `  replanbench run
  replanbench run my/scenarios --profile documented
  replanbench run my/scenarios/conflict.txtar --update
  replanbench run --write-known known.txt -- ./my-engine
  replanbench run --known known.txt -- ./my-engine
  replanbench run --format json --out report.json`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths := engine.split(cmd, args)
			if update && len(paths) == 0 {
				return usagef("--update rewrites files: name them, or their directory")
			}
			set, err := loadScenarios(paths)
			if err != nil {
				return err
			}
			baseline, err := known.load(e)
			if err != nil {
				return err
			}
			g, err := newGate(cmd.Context(), e, known.command(paths, engine), engine)
			if err != nil {
				return err
			}
			defer g.engine.Close()
			g.known, g.knownFile, g.quiet = baseline, known.read, quiet
			results, err := g.scenarios(cmd.Context(), set, options)
			if err != nil {
				return errors.Join(err, g.finish(out))
			}
			if known.write != "" && cmd.Context().Err() == nil {
				return known.save(e, results)
			}
			if update {
				return updateScenarios(cmd.Context(), e, results)
			}
			if len(paths) > 0 {
				g.report.Coverage = nil // it tells of a whole suite only
			}
			return g.finish(out)
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the want.json of scenarios that fail with what the engine gave")
	known.add(cmd)
	addSuiteFlags(cmd, &options)
	addQuiet(cmd, &quiet)
	engine.add(cmd)
	out.add(cmd, reports.Formats()...)
	return cmd
}

func addSuiteFlags(cmd *cobra.Command, o *suite.Options) {
	addWorkers(cmd, &o.Workers, "how many cases may be under way at once (default one per processor, or what an engine outside this process takes)")
}

// scenarioSet is what is run: the built-in scenarios or those of files.
type scenarioSet struct {
	list  []scenarios.Scenario
	files map[string]string // id → file, of those that are not built in
}

func loadScenarios(paths []string) (scenarioSet, error) {
	if len(paths) == 0 {
		list, err := scenarios.Builtin()
		return scenarioSet{list, nil}, err
	}
	list, err := scenarios.Load(paths...)
	if err != nil {
		return scenarioSet{}, usageError(err)
	}
	files := map[string]string{}
	for _, s := range list {
		files[s.ID] = s.File
	}
	return scenarioSet{list, files}, nil
}

// name is what replay takes for a scenario of the set.
func (s scenarioSet) name(one scenarios.Scenario) string {
	if file := s.files[one.ID]; file != "" {
		return file
	}
	return one.ID
}

// updateScenarios rewrites the files of the scenarios that failed.
func updateScenarios(ctx context.Context, e env, results []suite.Result) error {
	n := 0
	for _, r := range results {
		if r.Status != harness.Fail {
			continue
		}
		file := r.Scenario.WithWant(r.Outcome).Format()
		err := writeFile(r.Scenario.File, func(w io.Writer) error {
			_, err := w.Write(file)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(e.stdout, "rewritten "+escape.Terminal(r.Scenario.File))
		n++
	}
	fmt.Fprintf(e.stdout, "%d of %d scenarios rewritten; read the changes before you keep them\n", n, len(results))
	return ctx.Err()
}
