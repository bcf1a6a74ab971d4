package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/byname"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/live/redact"
	"replanbench/reports/gate"
)

// engineFlags choose the engine under test.
type engineFlags struct {
	byname.Engine `group:"Flags of the engine" line:"no"`
}

// configFlag names a file with the engine.
type configFlag struct {
	Config string `line:"no" arg:"FILE" help:"take the engine and its rules from this FILE, such as replanbench.yaml"`
}

// configure reads the engine from the file, if one is given. Flags and a command override it.
func (f *configFlag) configure(e env, cmd *cobra.Command, r recorded, engine *byname.Engine) error {
	if f.Config == "" {
		return nil
	}
	c, err := configured(e, cmd, f.Config, r, engine.Command)
	if err == nil {
		*engine, err = gate.EngineOf(c)
	}
	return err
}

// shardFlag is the part of a run.
type shardFlag struct {
	Shard shard.Shard `shown:"" arg:"I/N" help:"run only the I/N-th part of the ${parts}, 1/N to N/N; replanbench report merges the reports (--format json)"`
}

// seedFlag is the seed of generated data.
type seedFlag struct {
	Seed uint64 `default:"1" line:"yes" help:"the seed of the ${seeded}; the same seed gives the same ${seeded}"`
}

// levelFlag is how much of the behaviour is judged, in commands without a configuration.
type levelFlag struct {
	Judge string `enum:"exact,safety,rules" help:"what fails a case: safety (crashes, lost work, unsound plans), rules (also wrong verdicts and plans) or exact (also codes and places)"`
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
	_, noFile := os.Stat(name)
	if strings.ContainsRune(name, ' ') && !strings.HasPrefix(name, "exec:") || noFile == nil && name != byname.Reference {
		return usagef("--engine %q: no such engine (give a command after --: %s -- %s)", name, cmd.CommandPath(), name)
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

// meet opens the engine and returns its declaration. The caller closes it.
func (f *engineFlags) meet(ctx context.Context, e env) (harness.Engine, harness.Hello, error) {
	e.hide(f)
	return f.Meet(ctx, e.warn)
}

// hide keeps the secrets of an engine's address out of messages.
func (e env) hide(f *engineFlags) {
	if address, err := f.Address(); err == nil {
		e.secrets.Add(redact.Address(address)...)
	}
}

// newGate opens the engine and begins a report. The caller closes the engine.
func newGate(ctx context.Context, e env, command string, f engineFlags, out reportOutput) (*gate.Gate, error) {
	e.hide(&f)
	g, err := gate.Open(ctx, f.Engine, command, version(), e.warn)
	if err != nil {
		return nil, unstarted(ctx, e, g, out, err)
	}
	g.Progress = e.progress(out.Quiet)
	return g, nil
}

// unstarted returns the error with which an engine, agent or server did not start. The files and the
// format that the user asked for say so, too.
func unstarted(ctx context.Context, e env, g *gate.Gate, out reportOutput, err error) error {
	if err == nil || ctx.Err() != nil || harness.IsMistake(err) || out.Format == "table" && out.kept() == "" {
		return err
	}
	g.Broken("start", e.secrets.Text(err.Error()))
	g.Conclude()
	if out.Format == "github" { // the report annotates it
		code, message := verdict(err)
		e.complain(message)
		err = &exitError{code: code}
	}
	return errors.Join(err, out.writeReport(e, g.Report))
}

// ofReference begins a report on the reference.
func ofReference(command string) *gate.Gate {
	g := gate.Begin(command, version(), harness.Hello{Name: byname.Reference, Version: harness.Version})
	g.Report.Judge = g.Named.Level()
	return g
}

// finish writes the report and returns an error unless the verdict is pass.
func finish(e env, g *gate.Gate, out reportOutput) error {
	if out.keepsHistory() {
		g.Conclude() // a history has the verdict
	}
	if err := out.compare(e, g.Report); err != nil {
		return err
	}
	passed := g.Conclude()
	if err := out.writeReport(e, g.Report); err != nil || passed {
		return err
	}
	return gateFailed()
}

// warn prints a warning on standard error.
func (e env) warn(text string) { e.say("replanbench: " + text) }
