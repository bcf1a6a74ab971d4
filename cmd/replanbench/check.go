package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/cmd/replanbench/option"
	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect"
	"replanbench/harness/document/files"
	"replanbench/harness/engine/byname"
	"replanbench/harness/score"
	"replanbench/harness/score/choice"
	"replanbench/reports/gate"
)

// checkFlags are the flags of check. Most of them set a key of the configuration.
type checkFlags struct {
	recorded
	Config  string     `arg:"FILE" help:"read this FILE (default replanbench.yaml, if it exists); its paths are relative to the working directory"`
	Explain bool       `help:"print the configuration in effect and the source of each value; run nothing"`
	Dialect []string   `key:"dialects" list:"${dialects}" arg:"DIALECTS" help:"test only these DIALECTS (a,b; default all that the engine declares)"`
	Cases   uint64     `default:"20000" key:"suites.fuzz.cases" help:"number of fuzz cases for each dialect"`
	Seed    uint64     `default:"1" key:"suites.fuzz.seed" help:"the seed of the fuzz cases; the same seed gives the same fuzz cases"`
	Known   knownFlags `embed:""`
	choice.Gate
	shardFlag   `line:"no" set:"parts=scenarios, cases, replies and histories"`
	choice.Work `set:"work=cases|many=, up to four for an engine outside this process"`
	engineFlags `embed:""`
	Out         reportOutput `embed:""`
}

func newCheck(e env) *cobra.Command {
	var f checkFlags
	return command(e, &cobra.Command{
		Use:   "check [flags] [-- COMMAND]",
		Short: "Run the gate: every suite, one report, one verdict",
		RunE: func(cmd *cobra.Command, args []string) error {
			campaignHeap().use(e)
			if err := only(cmd, args, &f.Command, "replanbench run PATH runs single scenarios; "+commandAfter); err != nil {
				return err
			}
			c, err := configured(e, cmd, f.Config, f.recorded, f.Command)
			if err != nil {
				return err
			}
			if f.Explain {
				_, err := e.stdout.Write(c.Explained())
				return err
			}
			return f.run(cmd.Context(), e, c)
		},
	}, &f)
}

func (f *checkFlags) run(ctx context.Context, e env, c *config.Config) error {
	parts := []gate.Part{gate.Scenarios(c), gate.Fuzz(c), corporaPart(e, c), trimPart(e, c)}
	parts = slices.DeleteFunc(parts, func(p gate.Part) bool { return !p.Runs })
	if len(parts) == 0 {
		return usagef("there is nothing to run: the configuration leaves every suite out")
	}
	f.Known.List, f.Out.Earlier = c.Known, cmp.Or(f.Out.Earlier, f.Known.NewFrom, c.Earlier)
	if before, err := f.Out.before(e); err != nil {
		return c.Errorf("earlier", "%w", err)
	} else if before != nil && before.Score != nil {
		c.Baseline = cmp.Or(c.Baseline, f.Out.Earlier)
	}
	known, err := f.Known.load(e, &f.Out)
	if err != nil {
		return c.Errorf("known", "%w", err)
	}
	if f.Known.Write != "" {
		c.Known = "" // which is written
	}
	n, err := gate.EngineOf(c)
	if err != nil {
		return err
	}
	for _, o := range c.Outputs {
		f.Out.Also.add(target{o.Format, o.File})
	}
	if err := f.configApart(c); err != nil {
		return err
	}
	if err := errors.Join(f.Out.check(), inputsReady(e, c)); err != nil {
		return err
	}
	g, err := newGate(ctx, e, "check", engineFlags{n}, f.Out)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(f.Shard, decisive(c))
	g.Known, g.KnownFile = known, c.Known
	if n.Said() != nil && f.Config != stdinName && !f.ruled() { // many arguments, and the file has them
		named := byname.Engine{Use: f.Use, Command: f.Command}
		g.Again = append([]string{"--config", cmp.Or(f.Config, config.FileName)}, named.Args()...)
	}
	if f.Known.Write != "" {
		c.Suites.Fuzz.MaxFindings = gate.EveryFinding
	}
	err = g.Check(ctx, c, parts)
	switch {
	case harness.IsMistake(err):
		return err
	case err == nil && f.Known.Write != "" && ctx.Err() == nil:
		return f.Known.save(e, g, f.Out)
	}
	return errors.Join(err, finish(e, g, f.Out))
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
	f := choice.Scoring{
		By: c.Suites.Corpora.By, Rules: choice.Rules{Profile: c.Engine.Profile},
		Ladder:    strings.Join(c.Suites.Corpora.Ladder, ","),
		Tokenizer: c.Budget.Tokenizer, Budget: []int{c.Budget.Tokens}, Work: choice.Work{Workers: c.Workers},
	}
	o, err := f.Options(e.in())
	if err != nil {
		return o, score.Gate{}, err
	}
	conditions, err := (&choice.Gate{
		Require: c.Thresholds, Baseline: c.Baseline, AllowMissing: c.AllowMissing,
	}).Conditions(choice.SampleRule{Repeat: c.Repeat}, e.readScore)
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
		return scoreCorpora(ctx, e, g, names, gate.Scoring{Options: o, Conditions: conditions, Columns: columns})
	}
	return gate.Part{Name: "corpora", Runs: s.Run && (s.Builtin || len(s.Files) > 0), Run: run}
}

// ruled reports whether the command line chooses rules of the engine, or the reference in place of
// the file's engine.
func (f *checkFlags) ruled() bool {
	return slices.ContainsFunc(f.given, func(o option.Option) bool {
		key := o.Tag("key")
		return o.Changed && (key == "judge" || strings.HasPrefix(key, "engine.") &&
			(key != "engine.use" || f.Use == byname.Reference))
	})
}

// configured is a configuration with what the command line overrides.
func configured(e env, cmd *cobra.Command, file string, r recorded, command []string) (*config.Config, error) {
	c, err := readConfig(e, file)
	if err != nil {
		return nil, err
	}
	if dir := filepath.Dir(inputName(file)); dir != "." {
		e.warn(fmt.Sprintf("%s: paths in it are relative to the working directory, not to %s", inputName(file), dir))
	}
	for _, o := range r.given {
		if key := o.Tag("key"); key != "" && o.Changed {
			c.Override(key, "--"+o.Name, o.Field())
		}
	}
	if cmd.Flags().Changed("engine") {
		c.Engine.Command = nil
	}
	if command != nil {
		c.Override("engine.command", "--", &command)
	}
	return c, usageError(errors.Join(gate.Sensible(c)...))
}

// readConfig reads the file named, or replanbench.yaml where there is one, or
// else takes the defaults.
func readConfig(e env, name string) (*config.Config, error) {
	if name == "" {
		if _, err := os.Stat(config.FileName); errors.Is(err, os.ErrNotExist) {
			return config.Default(), nil
		}
		name = config.FileName
	}
	data, err := readInput(e, name)
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(inputName(name), data)
	if err != nil {
		return nil, harness.Mistaken(err)
	}
	for _, key := range c.Renamed() {
		e.warn(fmt.Sprintf("%s: the key %s is deprecated, and the next version does not read it (use %s)", inputName(name),
			key[0], key[1]))
	}
	return c, nil
}
