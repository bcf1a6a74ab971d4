package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/budget"
	"replanbench/harness/campaign"
	"replanbench/harness/score"
	"replanbench/harness/suite"
	"replanbench/reports"
)

// part is one part of the gate: it runs its suite and adds to the report.
type part struct {
	name string
	run  func(context.Context, *gate) error
}

// parts is the explicit list of what check runs.
func parts(o suite.Options, f fuzzFlags) []part {
	return []part{
		{"scenarios", func(ctx context.Context, g *gate) error {
			set, err := loadScenarios(nil)
			if err != nil {
				return err
			}
			_, err = g.scenarios(ctx, set, o)
			return err
		}},
		{"fuzz", func(ctx context.Context, g *gate) error {
			f.workers, f.quiet = o.Workers, !g.env.errTerminal
			return g.fuzzAll(ctx, f)
		}},
		{"corpus", func(ctx context.Context, g *gate) error {
			return g.corpus(ctx, nil, score.Options{Profile: harness.Reference(), Workers: o.Workers}, score.Gate{})
		}},
		{"trim", func(ctx context.Context, g *gate) error {
			return g.trimming(ctx, trimFlags{
				tokenizer: budget.Chars4, seed: f.seed, cases: trimCases, pick: -1, workers: cmp.Or(o.Workers, runtime.GOMAXPROCS(0)),
				policies: []string{"window", "emergency", "clamp|emergency", "priority", "pinned"},
			})
		}},
	}
}

// trimCases is how many histories check trims.
const trimCases = 1000

// fuzzAll runs a campaign for each dialect that the engine declares and that
// cases can be made for.
func (g *gate) fuzzAll(ctx context.Context, f fuzzFlags) error {
	hello, err := g.engine.Hello(ctx)
	if err != nil {
		return fmt.Errorf("the engine did not introduce itself: %w", err)
	}
	for _, dialect := range generators.Dialects() {
		if _, ok := hello.Dialects[dialect]; !ok {
			continue
		}
		f.dialect = dialect
		c, err := f.config()
		if err != nil {
			return err
		}
		if _, err := g.fuzz(ctx, c, f); err != nil {
			return err
		}
	}
	return nil
}

func newCheck(e env) *cobra.Command {
	var out output
	var engine engineFlags
	var options suite.Options
	fuzzing := fuzzFlags{shard: "1/1", maxFindings: campaign.DefaultMaxFindings}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Run the gate: every suite, one report, one verdict",
		Long: `Run every suite against the engine and end with one report and one verdict: the
built-in scenarios, a fuzzing campaign for each dialect, the built-in corpus and
the trimming simulation. Exit code 1 if the gate fails.`,
		Example: `  replanbench check
  replanbench check --format markdown --out report.md`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := engine.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (run PATH runs single scenarios)", rest[0])
			}
			return check(cmd.Context(), e, engine, out, parts(options, fuzzing))
		},
	}
	addSuiteFlags(cmd, &options)
	cmd.Flags().Uint64Var(&fuzzing.cases, "cases", defaultCases, "how many fuzz cases for each dialect")
	cmd.Flags().Uint64Var(&fuzzing.seed, "seed", 1, "what the fuzz cases are made from")
	engine.add(cmd)
	out.add(cmd, reports.Formats()...)
	return cmd
}

func check(ctx context.Context, e env, flags engineFlags, out output, list []part) error {
	g, err := newGate(ctx, e, "check", flags)
	if err != nil {
		return err
	}
	defer g.engine.Close()
	for _, p := range list {
		if err := p.run(ctx, g); err != nil {
			return errors.Join(err, g.finish(out))
		}
	}
	return g.finish(out)
}
