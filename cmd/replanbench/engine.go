package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine"
	"replanbench/harness/engine/byname"
	"replanbench/harness/live/redact"
	"replanbench/reports/gate"
)

// engineFlags choose the engine under test.
type engineFlags struct{ byname.Engine }

func (f *engineFlags) add(cmd *cobra.Command) {
	defer inGroup(cmd, groupEngine)()
	cmd.Flags().StringVar(&f.Use, "engine", byname.Reference,
		"the `ENGINE` under test: reference, defect:NAME, exec:CMD ARGS or http://HOST/PATH; or give a command after --")
	addProfile(cmd, &f.Profile, "judge under")
	f.addSaid(cmd)
	f.addBounds(cmd)
}

// addProfile adds --profile.
func addProfile(cmd *cobra.Command, p *[]string, what string) {
	cmd.Flags().StringArrayVar(p, "profile", nil, what+
		" this `PROFILE`: a profile's name or knob=value; may be given several times (see replanbench list profiles, list "+
		"knobs)")
}

// addSaid adds the flags that override the engine's declaration.
func (f *engineFlags) addSaid(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Source, "source", "",
		"the engine's source `FILE`, such as planner.py, for annotations (GitHub, SARIF; default the first word of the "+
			"command that is a file)")
	addJudge(cmd, &f.Judge, "engine")
	flags.StringVar(&f.Codes, "codes", "", "compare rejection codes by this `RULE`: exact or any (overrides what the "+
		"engine declares)")
	flags.StringSliceVar(&f.Without, "without", nil,
		"the `CAPABILITIES` that the engine lacks (a,b; none), overrides its declaration (see replanbench list capabilities)")
	flags.StringSliceVar(&f.Gives, "gives", nil,
		"the optional `MEMBERS` of outcomes that the engine gives (a,b; none), overrides its declaration")
}

// addJudge adds --judge.
func addJudge(cmd *cobra.Command, level *string, what string) {
	addChoice(cmd, level, "judge", "how much counts: safety is what no rules excuse, rules adds what the "+what+" accepts "+
		"and with which result, exact adds codes and places", "exact", "safety", "rules")
}

// addBounds adds the flags for the limits of an engine.
func (f *engineFlags) addBounds(cmd *cobra.Command) {
	f.Bounds.Memory = 2 << 30
	flags := cmd.Flags()
	flags.DurationVar(&f.Bounds.Deadline, "timeout", 0,
		"time limit of the engine for one case (default 2s for a separate process, 10s in this one)")
	addCount(cmd, bounded{&f.Bounds.Processes, 1, maxEngines}, "engines", 1,
		"number of copies of the engine's command that run at once")
	addCount(cmd, bounded{&f.Bounds.MaxRestarts, 0, math.MaxInt}, "max-restarts", 20,
		"number of restarts of the engine's command before the run stops")
	flags.Var((*engine.Bytes)(&f.Bounds.Memory), "engine-memory",
		"memory limit of each copy of the engine with its children (0: none; Linux only)")
}

// split takes the engine's command after -- and returns the arguments before it.
func (f *engineFlags) split(cmd *cobra.Command, args []string) []string {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		return args
	}
	f.Command = args[dash:]
	return args[:dash]
}

// oneEngine rejects a command line with two engines, and a command as the value of --engine.
func oneEngine(cmd *cobra.Command, args []string) error {
	f := cmd.Flags().Lookup("engine")
	if f == nil || !f.Changed {
		return nil
	}
	name := f.Value.String()
	if dash := cmd.ArgsLenAtDash(); dash >= 0 && dash < len(args) {
		return usagef("two engines given: --engine %s, and %s after -- (leave one out)", escape.Shell(name),
			escape.Shell(args[dash:]...))
	}
	if strings.ContainsRune(name, ' ') && !strings.HasPrefix(name, "exec:") {
		return usagef("--engine %q: no such engine (give a command after --: %s -- %s)", name, cmd.CommandPath(), name)
	}
	return nil
}

// alone takes the engine's command and rejects any other argument; way says what to do
// instead.
func (f *engineFlags) alone(cmd *cobra.Command, args []string, way string) error {
	if rest := f.split(cmd, args); len(rest) > 0 {
		return usagef("unexpected argument %q (%s)", rest[0], way)
	}
	return nil
}

// commandAfter is the hint for an unexpected argument.
const commandAfter = "give the engine's command after --"

// open opens the engine. The caller closes it.
func (f *engineFlags) open(ctx context.Context, e env) (harness.Engine, error) {
	e.hide(f)
	return f.Open(ctx, e.warn)
}

// hide keeps the secrets of an engine's address out of messages.
func (e env) hide(f *engineFlags) {
	if address, err := f.Address(); err == nil {
		e.secrets.Add(redact.Address(address)...)
	}
}

// newGate opens the engine and begins a report. The caller closes the engine.
func newGate(ctx context.Context, e env, command string, f engineFlags, quiet bool) (*gate.Gate, error) {
	e.hide(&f)
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

// ofReference begins a report on the reference.
func ofReference(ctx context.Context, e env, command string) (*gate.Gate, error) {
	return newGate(ctx, e, command, engineFlags{byname.Engine{Use: byname.Reference}}, true)
}

// finish writes the report and returns an error unless the verdict is pass.
func finish(e env, g *gate.Gate, out output) error {
	passed := g.Conclude()
	if err := out.writeReport(e, g.Report); err != nil || passed {
		return err
	}
	return gateFailed()
}

// warn prints a warning on standard error.
func (e env) warn(text string) { fmt.Fprintln(e.stderr, "replanbench: "+text) }
