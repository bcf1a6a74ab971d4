package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/shrink"
	"replanbench/reports/gate"
	"replanbench/scenarios"
)

// minimizeFlags say what is made smaller.
type minimizeFlags struct {
	check  string
	budget int
	engine engineFlags
	out    output
}

func newMinimize(e env) *cobra.Command {
	var f minimizeFlags
	cmd := &cobra.Command{
		Use:   "minimize FILE",
		Short: "Shrink a case that breaks an invariant",
		Long: `Shrink a scenario, such as a finding's repro.txtar: find the invariant that it breaks
on the engine, and remove every step, operation, word, limit and policy that the
failure does not need. The result is a scenario.

Exit code 1 if the case breaks no invariant.`,
		Example: `  replanbench minimize findings/0123456789ab/repro.txtar --out small.txtar -- ./my-engine
  replanbench minimize case.txtar --invariant done-immutable --engine defect:NAME`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := f.engine.split(cmd, args)
			switch {
			case len(names) != 1:
				return usagef("name one scenario to minimize (see replanbench minimize -h)")
			case f.check != "" && !all.IsCheck(f.check):
				return usagef("--invariant: unknown invariant %q%s (see replanbench list invariants)", f.check,
					harness.DidYouMean(f.check, harness.Names(invariants())))
			case f.budget < 1:
				return usagef("--budget %d: the budget must be at least 1", f.budget)
			}
			list, err := gate.FindScenarios(names, harness.Hello{}, nil)
			if err != nil {
				return err
			}
			if len(list) != 1 {
				return usagef("%s holds %d scenarios; name one of them", names[0], len(list))
			}
			return f.run(cmd.Context(), e, list[0])
		},
	}
	cmd.Flags().StringVar(&f.check, "invariant", "",
		"the `INVARIANT` that the small case must break (default the first broken one)")
	cmd.Flags().IntVar(&f.budget, "budget", shrink.DefaultBudget, "maximum number of smaller cases to try")
	f.out.addFile(cmd, "the scenario")
	f.engine.add(cmd)
	return cmd
}

func (f *minimizeFlags) run(ctx context.Context, e env, s scenarios.Scenario) error {
	g, err := newGate(ctx, e, "minimize", f.engine, true)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	small, err := g.Minimize(ctx, s.Case, f.check, f.budget)
	if errors.Is(err, campaign.ErrHolds) {
		e.warn(escape.Terminal(s.ID) + ": " + err.Error())
		return gateFailed()
	}
	if err != nil {
		return err
	}
	scenario, err := small.Scenario()
	if err != nil {
		return err
	}
	scenario.Source = s.Source
	fmt.Fprintln(e.stderr, escape.Terminal(small.Minimized()))
	return f.out.write(e, func(w io.Writer) error {
		_, err := w.Write(scenario.Format())
		return err
	})
}
