package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/campaign"
	"replanbench/reports/gate"
	"replanbench/scenarios"
)

// minimizeFlags control how replay --minimize shrinks a case.
type minimizeFlags struct {
	Invariant string `rare:"" list:"${invariants}" arg:"INVARIANT" help:"${with}the INVARIANT that the small case must break (default the first broken one)"`
	Budget    int    `default:"2000" range:"1," rare:"" help:"${with}maximum number of smaller cases to try"`
}

// newMinimize is the name that replay --minimize had in earlier versions.
func newMinimize(e env) *cobra.Command {
	var f struct {
		minimizeFlags
		engineFlags
		Out outFile `embed:"" set:"result=scenario|or=|extensions=.txtar"`
	}
	return command(e, &cobra.Command{
		Use: "minimize FILE", Short: "Shrink a case that breaks an invariant (now replay --minimize)", Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			e.warn("minimize is deprecated, and the next version does not have it (use replay --minimize)")
			return f.start(cmd.Context(), e, f.engineFlags, f.Out, split(cmd, args, &f.Command))
		},
	}, &f)
}

// start finds the scenario and shrinks it.
func (f *minimizeFlags) start(ctx context.Context, e env, engine engineFlags, out outFile, names []string) error {
	switch {
	case len(names) != 1:
		return usagef("name one scenario to minimize (see replanbench replay -h)")
	case f.Invariant != "" && !all.IsCheck(f.Invariant):
		return usagef("--invariant: unknown invariant %q%s (see replanbench list invariants)", f.Invariant,
			harness.DidYouMean(f.Invariant, harness.Names(invariants())))
	}
	g, err := newGate(ctx, e, "minimize", engine, reportOutput{output: output{Format: "table"}, Quiet: true})
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	list, err := gate.FindScenarios(names, g.Hello, g.Named, nil)
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return usagef("%s holds %d scenarios; name one of them", names[0], len(list))
	}
	return f.run(ctx, e, g, out, list[0])
}

func (f *minimizeFlags) run(ctx context.Context, e env, g *gate.Gate, out outFile, s scenarios.Scenario) error {
	small, err := g.Minimize(ctx, s.Case, f.Invariant, f.Budget)
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
	e.say(small.Minimized())
	return out.write(e, func(w io.Writer) error {
		_, err := w.Write(scenario.Format())
		return err
	})
}
