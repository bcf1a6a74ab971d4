package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/engine/named"
	"replanbench/harness/gate"
	"replanbench/harness/live/redact"
)

// engineFlags choose the engine under test.
type engineFlags struct{ named.Engine }

func (f *engineFlags) add(cmd *cobra.Command) {
	defer inGroup(cmd, groupEngine)()
	cmd.Flags().StringVar(&f.Use, "engine", named.Reference, "the `ENGINE` under test: reference, defect:NAME, exec:CMD ARGS or http://HOST/PATH; or give its command after --")
	addProfile(cmd, &f.Profile, "judge under")
	f.addSaid(cmd)
	f.addBounds(cmd)
}

// addProfile adds --profile.
func addProfile(cmd *cobra.Command, p *[]string, what string) {
	cmd.Flags().StringArrayVar(p, "profile", nil, what+" this `PROFILE`: a set name or knob=value; may be given several times (see replanbench list knobs)")
}

// addSaid adds the flags that win over what the engine declares.
func (f *engineFlags) addSaid(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Source, "source", "", "the engine's own `FILE`, such as planner.py: what is wrong is shown there (GitHub, SARIF; default the first word of the command that is a file)")
	flags.StringVar(&f.Codes, "codes", "", "how the codes of the engine's refusals are to be read: exact or any, `WHICH` wins over what it declares")
	flags.StringSliceVar(&f.Without, "without", nil, "the `CAPABILITIES` that the engine is without (a,b; none), in the place of those that it declares (see replanbench list capabilities)")
	flags.StringSliceVar(&f.Gives, "gives", nil, "the optional `MEMBERS` of outcomes that the engine gives (a,b; none), in the place of those that it declares")
}

// addBounds adds the flags that say what an engine may take.
func (f *engineFlags) addBounds(cmd *cobra.Command) {
	f.Bounds.Memory = 2 << 30
	flags := cmd.Flags()
	flags.DurationVar(&f.Bounds.Deadline, "timeout", 0, "how long the engine may take for one case (default 2s for an engine outside this process, 10s inside)")
	addCount(cmd, bounded{&f.Bounds.Processes, 1, maxEngines}, "engines", 1, "how many copies of an engine's command run at once")
	addCount(cmd, bounded{&f.Bounds.MaxRestarts, 0, math.MaxInt}, "max-restarts", 20, "how often an engine's command is restarted before the run stops")
	flags.Var((*engine.Bytes)(&f.Bounds.Memory), "engine-memory", "how much memory a copy of the engine's command may use, with its children (0: any; Linux only)")
}

// split takes the engine's command from behind -- and returns the arguments
// before it.
func (f *engineFlags) split(cmd *cobra.Command, args []string) []string {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		return args
	}
	f.Command = args[dash:]
	return args[:dash]
}

// alone takes the engine's command and refuses any other argument; way says what
// to do in its place.
func (f *engineFlags) alone(cmd *cobra.Command, args []string, way string) error {
	if rest := f.split(cmd, args); len(rest) > 0 {
		return usagef("unexpected argument %q (%s)", rest[0], way)
	}
	return nil
}

// commandAfter is the way out of an unexpected argument.
const commandAfter = "give the engine's command after --"

// open opens the engine. The caller closes it.
func (f *engineFlags) open(ctx context.Context, e env) (harness.Engine, error) {
	e.secrets.Add(redact.Address(f.Use)...)
	return f.Open(ctx, e.warn)
}

// newGate opens the engine and begins a report. The caller closes the engine.
func newGate(ctx context.Context, e env, command string, f engineFlags, quiet bool) (*gate.Gate, error) {
	e.secrets.Add(redact.Address(f.Use)...)
	g, err := gate.Open(ctx, f.Engine, command, version(), e.warn)
	if err != nil {
		return nil, err
	}
	g.Progress = func() (show, tell func(string), end func()) {
		p := newProgress(e, quiet)
		return p.show, p.tell, p.end
	}
	return g, nil
}

// ofReference begins a report of what the reference does.
func ofReference(ctx context.Context, e env, command string) (*gate.Gate, error) {
	return newGate(ctx, e, command, engineFlags{named.Engine{Use: named.Reference}}, true)
}

// finish writes the report and returns the error that its verdict leads to.
func finish(e env, g *gate.Gate, out output) error {
	passed := g.Conclude()
	if err := out.writeReport(e, g.Report); err != nil || passed {
		return err
	}
	return gateFailed()
}

// warn tells what has no effect.
func (e env) warn(text string) { fmt.Fprintln(e.stderr, "replanbench: "+text) }
