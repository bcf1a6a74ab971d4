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

// minimizeFlags control how replay --minimize shrinks a case.
type minimizeFlags struct {
	on     bool
	check  string
	budget int
}

func (f *minimizeFlags) add(cmd *cobra.Command) {
	f.addOptions(cmd)
	cmd.Flags().BoolVar(&f.on, "minimize", false, "shrink a case that breaks an invariant, and print it as a scenario")
}

func (f *minimizeFlags) addOptions(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.check, "invariant", "",
		"with --minimize: the `INVARIANT` that the small case must break (default the first broken one)")
	cmd.Flags().IntVar(&f.budget, "budget", shrink.DefaultBudget, "with --minimize: maximum number of smaller cases to try")
}

// newMinimize is the name that replay --minimize had in earlier versions.
func newMinimize(e env) *cobra.Command {
	f := minimizeFlags{on: true}
	var engine engineFlags
	var out output
	cmd := &cobra.Command{
		Use: "minimize FILE", Short: "Shrink a case that breaks an invariant (now replay --minimize)", Hidden: true,
		Example: "  replanbench replay --minimize findings/0123456789ab/repro.txtar -- ./my-engine",
		Args:    anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			e.warn("minimize is deprecated, and the next version does not have it (use replay --minimize)")
			return f.start(cmd.Context(), e, engine, out, engine.split(cmd, args))
		},
	}
	f.addOptions(cmd)
	out.addFile(cmd, "the scenario")
	engine.add(cmd)
	return cmd
}

// start finds the scenario and shrinks it.
func (f *minimizeFlags) start(ctx context.Context, e env, engine engineFlags, out output, names []string) error {
	switch {
	case len(names) != 1:
		return usagef("name one scenario to minimize (see replanbench replay -h)")
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
	return f.run(ctx, e, engine, out, list[0])
}

func (f *minimizeFlags) run(ctx context.Context, e env, engine engineFlags, out output, s scenarios.Scenario) error {
	g, err := newGate(ctx, e, "minimize", engine, true)
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
	return out.write(e, func(w io.Writer) error {
		_, err := w.Write(scenario.Format())
		return err
	})
}
