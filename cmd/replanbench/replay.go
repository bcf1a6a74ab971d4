package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/engine"
	"replanbench/reports"
	"replanbench/reports/gate"
	"replanbench/scenarios"
)

func newReplay(e env) *cobra.Command {
	var f struct {
		recorded
		configFlag
		traitFlags    `set:"planted=the TRAITS of the campaign of a case DIALECT:SEED:INDEX (as in fuzz --traits)"`
		Minimize      bool `help:"shrink a case that breaks an invariant, and print it as a scenario"`
		minimizeFlags `set:"with=with --minimize: "`
		engineFlags
		Out screenOutput `embed:"" set:"forms=table,markdown,json|extensions=.txt,.txtar"`
	}
	return command(e, &cobra.Command{
		Use:   "replay FILE... [flags] [-- COMMAND]",
		Short: "Run a scenario or a finding again, step by step",
		RunE: func(cmd *cobra.Command, args []string) error {
			names := split(cmd, args, &f.Command)
			if len(names) == 0 {
				return usagef("an argument is missing: a scenario file, or the name of a built-in scenario (see replanbench " +
					"replay -h)")
			}
			if err := f.configure(e, cmd, f.recorded, &f.Engine); err != nil {
				return err
			}
			if f.Minimize {
				if cmd.Flags().Changed("format") {
					return usagef("--minimize prints a scenario: leave --format out")
				}
				return f.start(cmd.Context(), e, f.engineFlags, f.Out.outFile, names)
			}
			return replay(cmd.Context(), e, f.engineFlags, f.Out, func(hello harness.Hello) ([]scenarios.Scenario, error) {
				return gate.FindScenarios(names, hello, f.Engine, gate.Planted(f.planted()))
			})
		},
	}, &f)
}

func replay(ctx context.Context, e env, flags engineFlags, out screenOutput,
	find func(harness.Hello) ([]scenarios.Scenario, error),
) error {
	ctx = engine.Free(ctx) // a crash that is looked at again is no reason to give the engine up
	engine, hello, err := flags.meet(ctx, e)
	if err != nil {
		return err
	}
	defer engine.Close()
	list, err := find(hello)
	if err != nil {
		return err
	}
	replayed, err := gate.Replay(ctx, engine, flags.Engine, list)
	if err != nil {
		return err
	}
	stories, well := make([]explain.Story, len(replayed)), true
	for i := range replayed {
		stories[i], well = replayed[i].Story(), well && replayed[i].Well
	}
	result := reports.ReplayScreen(hello, replayed, flags.Level())
	if out.Format == "json" {
		err = out.show(e, result, func(w io.Writer) error {
			return reports.WriteJSON(w, gate.Results(replayed, flags.Level()))
		})
	} else {
		err = out.tell(e, result, stories...)
	}
	if err == nil && !well {
		return gateFailed()
	}
	return err
}
