package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"replanbench/harness/campaign"
	"replanbench/harness/dialect/all"
	"replanbench/harness/finding"
	"replanbench/harness/shrink"
	"replanbench/reports/escape"
	"replanbench/scenarios"
)

func newMinimize(e env) *cobra.Command {
	var engine engineFlags
	var out output
	var check string
	var budget int
	cmd := &cobra.Command{
		Use:   "minimize FILE",
		Short: "Make a case smaller that breaks an invariant",
		Long: `Take a scenario, such as a finding's repro.txtar, look which invariant it breaks
on the engine, and leave out whatever is not needed for that: steps, operations,
words, limits, policies. The small case is written as a scenario.

Exit code 1 if the case breaks nothing.`,
		Example: `  replanbench minimize findings/0123456789ab/repro.txtar --out small.txtar -- ./my-engine
  replanbench minimize case.txtar --invariant done-immutable --engine defect:NAME`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := engine.split(cmd, args)
			switch {
			case len(names) != 1:
				return usagef("name one scenario to minimize (see replanbench minimize -h)")
			case check != "" && !all.IsCheck(check):
				return usagef("--invariant %s: no such invariant%s (see replanbench list invariants)", check, didYouMean(check, checkNames()))
			case budget < 1:
				return usagef("--budget %d: it is at least 1", budget)
			}
			list, err := findScenarios(names)
			if err != nil {
				return err
			}
			if len(list) != 1 {
				return usagef("%s holds %d scenarios; name one", names[0], len(list))
			}
			return minimize(cmd.Context(), e, engine, out, list[0], campaign.Config{ShrinkBudget: budget}, check)
		},
	}
	cmd.Flags().StringVar(&check, "invariant", "", "the `INVARIANT` to go on breaking (default the first that breaks)")
	cmd.Flags().IntVar(&budget, "budget", shrink.DefaultBudget, "how many smaller cases are tried at most")
	cmd.PreRunE = func(*cobra.Command, []string) error { return out.ready() }
	cmd.Flags().StringVar(&out.file, "out", "", "write the scenario to this `FILE` instead of standard output")
	engine.add(cmd)
	return cmd
}

func checkNames() []string {
	var names []string
	for _, c := range all.Checks() {
		names = append(names, c.Name)
	}
	return names
}

func minimize(ctx context.Context, e env, flags engineFlags, out output, s scenarios.Scenario, c campaign.Config, check string) error {
	g, err := newGate(ctx, e, "minimize", flags)
	if err != nil {
		return err
	}
	defer g.engine.Close()
	g.judging(ctx, &c)
	f, err := campaign.Minimize(ctx, c, g.hello, s.Case, check)
	if errors.Is(err, campaign.ErrHolds) {
		fmt.Fprintln(e.stderr, "replanbench: "+escape.Terminal(s.ID)+": "+err.Error())
		return gateFailed()
	}
	if err != nil {
		return err
	}
	small, err := f.Scenario()
	if err != nil {
		return err
	}
	small.Source = s.Source
	fmt.Fprintln(e.stderr, escape.Terminal(minimized(f)))
	return out.write(e, func(w io.Writer) error {
		_, err := w.Write(small.Format())
		return err
	})
}

// minimized tells in a line what became of the case.
func minimized(f finding.Finding) string {
	from, to := f.Shrunk.From, f.Shrunk.To
	if f.Kind == finding.Flaky {
		return fmt.Sprintf("%s shows only sometimes (%s), so the case stays as it is", f.Invariant, f.Reproduced)
	}
	return fmt.Sprintf("%s: %s (%d → %d steps, %d → %d operations, %d → %d bytes)", f.Invariant, f.Message,
		from.Steps, to.Steps, from.Operations, to.Operations, from.Bytes, to.Bytes)
}
