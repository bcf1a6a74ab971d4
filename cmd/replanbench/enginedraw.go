package main

import (
	"github.com/spf13/cobra"

	"replanbench/harness/engine"
	"replanbench/reports/gate"
)

// newEngineDraw serves generated cases to property tests in other languages.
func newEngineDraw(e env) *cobra.Command {
	var f engineFlags
	cmd := &cobra.Command{
		Use:   "draw -- CMD [ARGS...]",
		Short: "Draw generated cases by name and judge an engine on each, for property tests",
		Long: `Read names of generated cases from standard input, one per line, and write a line of JSON
for each: the case, the engine's outcome, and a sentence for each check that it breaks.
A name is DIALECT:SEED:INDEX:TRAIT+TRAIT. A property test draws seed, index and traits, and
shrinks by dropping traits. replay and replay --minimize take the same names.

The first line of the output lists the traits of each dialect. Without an engine on the
command line, draw tests the engine of replanbench.yaml. The test files of init --adapter
contain a strategy for Hypothesis and an arbitrary for fast-check that use it.`,
		Example: `  echo planpatch:1:7:orphan-by-removal | replanbench engine draw -- python3 adapter.py
  replanbench replay --minimize planpatch:1:7:orphan-by-removal -- python3 adapter.py`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.alone(cmd, args, commandAfter); err != nil {
				return err
			}
			if f.Command == nil && !cmd.Flags().Changed("engine") {
				c, err := readConfig(e, "")
				if err != nil {
					return err
				}
				if f.Engine, err = gate.EngineOf(c); err != nil {
					return err
				}
			}
			ctx := engine.Free(cmd.Context()) // shrinking repeats a crash as often as it likes
			opened, err := f.open(ctx, e)
			if err != nil {
				return err
			}
			defer opened.Close()
			return gate.Draw(ctx, opened, f.Engine, e.stdin, e.stdout)
		},
	}
	return command(e, cmd, &f)
}
