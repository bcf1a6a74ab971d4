package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"replanbench/harness/suite"
	"replanbench/reports"
)

// part is one part of the gate: it runs its suite and adds to the report.
type part struct {
	name string
	run  func(context.Context, *gate) error
}

// parts is the explicit list of what check runs.
func parts(o suite.Options) []part {
	return []part{
		{"scenarios", func(ctx context.Context, g *gate) error {
			set, err := loadScenarios(nil)
			if err != nil {
				return err
			}
			_, err = g.scenarios(ctx, set, o)
			return err
		}},
	}
}

func newCheck(e env) *cobra.Command {
	var out output
	var engine engineFlags
	var options suite.Options
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Run the gate: every suite, one report, one verdict",
		Long: `Run every suite against the engine and end with one report and one verdict: so
far the built-in scenarios. Exit code 1 if the gate fails.`,
		Example: `  replanbench check
  replanbench check --format markdown --out report.md`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := engine.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (run PATH runs single scenarios)", rest[0])
			}
			return check(cmd.Context(), e, engine, out, parts(options))
		},
	}
	addSuiteFlags(cmd, &options)
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
