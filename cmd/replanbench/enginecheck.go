package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"replanbench/harness/document/escape"
	"replanbench/harness/engine"
	"replanbench/harness/engine/byname"
	"replanbench/harness/engine/conformance"
)

func newEngineCheck(e env) *cobra.Command {
	var f struct {
		Use    string         `name:"engine" default:"reference" list:"${engines}" group:"Flags of the engine" arg:"ENGINE" help:"an ENGINE by exec:CMD ARGS or http://HOST/PATH, instead of -- CMD"`
		Judge  string         `group:"Flags of the engine" enum:"exact,safety,rules" help:"how much counts: safety is what no rules excuse; rules adds what the engine accepts and returns; exact adds codes and places"`
		Bounds engine.Options `embed:"" group:"Flags of the engine"`
	}
	cmd := &cobra.Command{
		Use:   "check -- CMD [ARGS...]",
		Short: "Check that an engine speaks the protocol",
		Long: `Start an engine, initialize it, and send it cases for each dialect that it declares:
one case alone, then as many at once as it accepts, a plain edit of each kind, and
frequent special cases: a rejection, unknown members, an update of one member, an empty
reply, a larger plan. Every answer is validated (replanbench schema outcome) and
compared with the rules that the engine declares. Each line shows the answer, with a
hint if it is unexpected:

  ok    the expected answer
  look  a valid answer that differs from the engine's own rules
  FAIL  an invalid answer, or a plain edit that was not applied by the rules

Fix a FAIL before you run a campaign (replanbench fuzz).
Exit code 1 if a line says FAIL, 3 if the engine does not start.`,
		Example: `  replanbench engine check -- python3 adapter.py
  replanbench engine check --engine http://localhost:8080`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := engineFlags{byname.Engine{Use: f.Use, Judge: f.Judge, Bounds: f.Bounds}}
			if err := flags.alone(cmd, args, commandAfter); err != nil {
				return err
			}
			return engineCheck(cmd.Context(), e, flags)
		},
	}
	return command(e, cmd, &f)
}

func engineCheck(ctx context.Context, e env, flags engineFlags) error {
	tested, err := flags.open(ctx, e)
	if err != nil {
		return err
	}
	defer tested.Close()
	outside, ok := tested.(conformance.Engine)
	if !ok {
		return usagef("there is nothing to check: name an engine outside this process (-- CMD ARGS)")
	}
	well, err := conformance.Run(ctx, outside, flags.Level(), func(n conformance.Note) { tellNote(e.stdout, n) })
	if err == nil && !well {
		return gateFailed()
	}
	return err
}

// tellNote writes a note of the check, with its hints below it.
func tellNote(w io.Writer, n conformance.Note) {
	word := "ok    "
	switch {
	case !n.OK:
		word = "FAIL  "
	case n.Doubt:
		word = "look  "
	}
	fmt.Fprintln(w, word+escape.Terminal(n.Text))
	for _, h := range n.Hints {
		fmt.Fprintln(w, "      hint: "+escape.Terminal(h))
	}
	if len(n.Stderr) > 0 {
		fmt.Fprintln(w, "      its standard error ends with:")
	}
	for _, line := range n.Stderr {
		fmt.Fprintln(w, "        "+escape.Terminal(line))
	}
}
