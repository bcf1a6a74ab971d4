package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect"
	"replanbench/harness/document/files"
	"replanbench/harness/engine"
	"replanbench/harness/engine/byname"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/score"
	"replanbench/reports/gate"
)

// checkFlags are the flags of check. Most of them set a key of the
// configuration.
type checkFlags struct {
	config     string
	explain    bool
	dialects   []string
	cases      uint64
	seed       uint64
	known      knownFlags
	conditions gateFlags
	workers    int
	shard      shard.Shard
	engine     engineFlags
	out        output
}

func newCheck(e env) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Run the gate: every suite, one report, one verdict",
		Long: `Run every suite that replanbench.yaml names, and end with one report and one verdict.
Without that file, check runs the built-in scenarios, a fuzzing campaign for each
dialect that the engine declares, the built-in corpus and the trimming simulation.

Flags override the file (replanbench init writes one). Exit code 1 if the gate
fails: a failure or finding is not known, a threshold is not met, a metric is worse
than in the baseline, or a known failure no longer occurs.`,
		Example: `  replanbench check
  replanbench check --explain
  replanbench check --format github --report junit=replanbench.xml --report html=replanbench.html
  replanbench check --write-known known.txt -- python3 adapter.py
  replanbench check --known known.txt -- python3 adapter.py
  replanbench check --new-from main.json -- python3 adapter.py`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			gateHeap().use(e)
			if err := f.engine.alone(cmd, args, "replanbench run PATH runs single scenarios; "+commandAfter); err != nil {
				return err
			}
			if err := wholeOnly(cmd, f.shard, "write-known"); err != nil {
				return err
			}
			c, err := f.effective(e, cmd)
			if err != nil {
				return err
			}
			if f.explain {
				_, err := e.stdout.Write(c.Explained())
				return err
			}
			return f.run(cmd.Context(), e, c)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *checkFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "read this `FILE` (default "+config.FileName+", if it exists)")
	flags.BoolVar(&f.explain, "explain", false,
		"print the configuration in effect and the source of each value; run nothing")
	flags.StringSliceVar(&f.dialects, "dialect", nil,
		"test only these `DIALECTS` (a,b; default all that the engine declares)")
	flags.Uint64Var(&f.cases, "cases", gate.DefaultCases, "number of fuzz cases for each dialect")
	addSeed(cmd, &f.seed, "fuzz cases")
	f.known.add(cmd)
	f.conditions.add(cmd)
	addShard(cmd, &f.shard, "scenarios, cases, replies and histories")
	addWorkers(cmd, &f.workers, "cases")
	f.engine.add(cmd)
	f.out.addReport(cmd)
}

func (f *checkFlags) engineMemory() string {
	return (*engine.Bytes)(&f.engine.Bounds.Memory).String()
}

func (f *checkFlags) run(ctx context.Context, e env, c *config.Config) error {
	parts := []gate.Part{gate.Scenarios(c), gate.Fuzz(c), corporaPart(e, c), trimPart(e, c, f.out.quiet)}
	parts = slices.DeleteFunc(parts, func(p gate.Part) bool { return !p.Runs })
	if len(parts) == 0 {
		return usagef("there is nothing to run: the configuration leaves every suite out")
	}
	f.known.read = c.Known
	known, err := f.known.load(e)
	if err != nil {
		return c.Errorf("known", "%w", err)
	}
	n, err := byname.Of(c)
	if err != nil {
		return err
	}
	for _, o := range c.Outputs {
		f.out.also.add(target{o.Format, o.File})
	}
	if err := f.configApart(c); err != nil {
		return err
	}
	if err := errors.Join(f.out.ready(), inputsReady(e, c)); err != nil {
		return err
	}
	g, err := newGate(ctx, e, "check", engineFlags{n}, f.out.quiet)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(f.shard, decisive(c))
	g.Known, g.KnownFile = known, c.Known
	if f.known.write != "" {
		c.Suites.Fuzz.MaxFindings = gate.EveryFinding
	}
	err = g.Check(ctx, c, parts)
	switch {
	case harness.IsMistake(err):
		return err
	case err == nil && f.known.write != "" && ctx.Err() == nil:
		return f.known.save(e, g)
	}
	f.known.forgive(g.Report)
	return errors.Join(err, finish(e, g, f.out))
}

// decisive is what of a configuration decides the result.
func decisive(c *config.Config) string {
	d := *c
	d.Outputs, d.Workers = nil, 0
	return string(d.Commented())
}

// inputsReady refuses files that cannot be read, before the work is done that
// comes before them.
func inputsReady(e env, c *config.Config) error {
	var errs []error
	readable := func(key string, names []string) {
		for i, name := range names {
			if name == stdinName || name == corpora.BuiltinName {
				continue
			}
			if err := files.Readable(name); err != nil {
				errs = append(errs, usageError(c.Errorf(fmt.Sprintf("%s[%d]", key, i), "%w", err)))
			}
		}
	}
	if s := c.Suites.Corpora; s.Run {
		if c.Baseline != stdinName { // which can be read once
			_, _, err := scoring(e, c)
			errs = append(errs, err)
		}
		readable("suites.corpora.files", s.Files)
	}
	if s := c.Suites.Trim; s.Run {
		readable("suites.trim.history", s.History)
	}
	return errors.Join(errs...)
}

// scoring is how corpora are scored, and what the scores must keep.
func scoring(e env, c *config.Config) (score.Options, score.Gate, error) {
	f := scoreFlags{
		by: c.Suites.Corpora.By, profile: c.Engine.Profile, ladder: strings.Join(c.Suites.Corpora.Ladder, ","),
		tokenizer: c.Budget.Tokenizer, budgets: []int{c.Budget.Tokens}, workers: c.Workers,
	}
	o, err := f.options(e)
	if err != nil {
		return o, score.Gate{}, err
	}
	conditions, err := (&gateFlags{
		require: c.Thresholds, repeat: c.Repeat, baseline: c.Baseline,
		missing: c.AllowMissing,
	}).gate(e)
	return o, conditions, err
}

// corporaPart scores corpora: recorded replies of dialects where a reply edits a
// plan.
func corporaPart(e env, c *config.Config) gate.Part {
	s := c.Suites.Corpora
	run := func(ctx context.Context, g *gate.Gate) error {
		o, conditions, err := scoring(e, c)
		if err != nil {
			return err
		}
		edits := func(d *dialect.Dialect) bool { return d.Edits }
		if !gate.TestsAny(c, edits) && len(c.Thresholds) == 0 && c.Baseline == "" {
			return nil
		}
		names := s.Files
		if s.Builtin {
			names = append([]string{corpora.BuiltinName}, names...)
		}
		o.Shard = g.Shard
		columns, err := score.ParseColumns(s.Columns)
		if err != nil {
			return err
		}
		return scoreCorpora(ctx, e, g, names, scoreOptions{Options: o, conditions: conditions, columns: columns})
	}
	return gate.Part{Name: "corpora", Runs: s.Run && (s.Builtin || len(s.Files) > 0), Run: run}
}
