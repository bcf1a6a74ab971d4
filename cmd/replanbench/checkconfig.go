package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/history"
	"replanbench/harness/score"
	"replanbench/harness/tokens"
	"replanbench/reports"
)

// override is a flag that sets a key of the configuration.
type override struct {
	flag, key string
	set       func(*config.Config)
}

// overrides lists the flags of check that set a key.
func (f *checkFlags) overrides() []override {
	return []override{
		{"engine", "engine.use", func(c *config.Config) { c.Engine.Use, c.Engine.Command = f.engine.spec, nil }},
		{"profile", "engine.profile", func(c *config.Config) { c.Engine.Profile = f.engine.profile }},
		{"timeout", "limits.timeout", func(c *config.Config) { c.Limits.Timeout = f.engine.bounds.Deadline }},
		{"engine-memory", "limits.memory", func(c *config.Config) { c.Limits.Memory = f.engine.memory.String() }},
		{"max-restarts", "limits.restarts", func(c *config.Config) { c.Limits.Restarts = f.engine.bounds.MaxRestarts }},
		{"engines", "limits.processes", func(c *config.Config) { c.Limits.Processes = f.engine.bounds.Processes }},
		{"dialect", "dialects", func(c *config.Config) { c.Dialects = f.dialects }},
		{"cases", "suites.fuzz.cases", func(c *config.Config) { c.Suites.Fuzz.Cases = f.cases }},
		{"seed", "suites.fuzz.seed", func(c *config.Config) { c.Suites.Fuzz.Seed = f.seed }},
		{"known", "known", func(c *config.Config) { c.Known = f.known.read }},
		{"baseline", "baseline", func(c *config.Config) { c.Baseline = f.baseline }},
		{"allow-missing", "allow_missing", func(c *config.Config) { c.AllowMissing = f.missing }},
		{"require", "thresholds", func(c *config.Config) { c.Thresholds = f.require }},
		{"workers", "workers", func(c *config.Config) { c.Workers = f.workers }},
	}
}

// effective reads the configuration, sets what the flags say over it, and
// refuses what makes no sense.
func (f *checkFlags) effective(e env, cmd *cobra.Command) (*config.Config, error) {
	c, err := readConfig(e, f.config)
	if err != nil {
		return nil, err
	}
	for _, o := range f.overrides() {
		if cmd.Flags().Changed(o.flag) {
			o.set(c)
			c.Override(o.key, "--"+o.flag)
		}
	}
	if f.engine.command != nil {
		if cmd.Flags().Changed("engine") {
			return nil, usagef("--engine %s and -- %s name two engines (leave one out)", f.engine.spec, strings.Join(f.engine.command, " "))
		}
		c.Engine.Command = f.engine.command
		c.Override("engine.command", "--")
	}
	if err := errors.Join(sensible(c)...); err != nil {
		return nil, usageError(err)
	}
	return c, nil
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
		return nil, usageError(err)
	}
	return c, nil
}

// sensible lists what is wrong with a configuration, before anything is run.
func sensible(c *config.Config) (errs []error) {
	check := func(key string, err error) {
		if err != nil {
			errs = append(errs, c.Errorf(key, "%w", err))
		}
	}
	p := harness.Reference()
	for i, s := range c.Engine.Profile {
		check(item("engine.profile", i), p.Apply(s))
	}
	for i, d := range c.Dialects {
		check(item("dialects", i), oneOf(d, dialectNames()))
	}
	check("limits.memory", new(byteSize).Set(c.Limits.Memory))
	check("budget.tokenizer", oneOf(c.Budget.Tokenizer, harness.Names(tokens.Tokenizers())))
	for i, name := range c.Suites.Fuzz.Faults {
		check(item("suites.fuzz.faults", i), oneOf(name, faultNames()))
	}
	for i, key := range c.Suites.Corpora.By {
		check(item("suites.corpora.by", i), score.CheckKey(key))
	}
	if len(c.Suites.Corpora.Ladder) > 0 {
		check("suites.corpora.ladder", p.Set("ladder", strings.Join(c.Suites.Corpora.Ladder, ",")))
	}
	for i, text := range c.Suites.Trim.Policies {
		_, err := history.ParsePolicy(text)
		check(item("suites.trim.policies", i), err)
	}
	for i, o := range c.Outputs {
		check(item("outputs", i)+".format", oneOf(o.Format, reports.Formats()))
		if o.File == "" {
			check(item("outputs", i), errors.New("the key file is missing (name the file to write)"))
		}
	}
	return append(errs, sensibleScores(c)...)
}

// sensibleScores looks at what the scores must keep.
func sensibleScores(c *config.Config) (errs []error) {
	for i, s := range c.Thresholds {
		if _, err := score.ParseThreshold(s); err != nil {
			errs = append(errs, c.Errorf(item("thresholds", i), "%w", err))
		}
	}
	if c.Repeat != "" {
		if _, err := score.ParseRepeat(c.Repeat); err != nil {
			errs = append(errs, c.Errorf("repeat", "%w", err))
		}
	}
	s := c.Suites.Corpora
	scored := s.Run && (s.Builtin || len(s.Files) > 0)
	if !scored && len(c.Thresholds) > 0 {
		errs = append(errs, c.Errorf("thresholds", "nothing is scored, so they would hold of nothing (set suites.corpora.run and name corpora)"))
	}
	if !scored && c.Baseline != "" {
		errs = append(errs, c.Errorf("baseline", "nothing is scored that could be compared with it (set suites.corpora.run and name corpora)"))
	}
	return errs
}

func item(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// oneOf refuses what is none of the names.
func oneOf(got string, names []string) error {
	if slices.Contains(names, got) {
		return nil
	}
	if near := didYouMean(got, names); near != "" {
		return fmt.Errorf("there is no %q%s", got, near)
	}
	return fmt.Errorf("there is no %q (there are %s)", got, strings.Join(names, ", "))
}

// faultNames lists the faults of all dialects.
func faultNames() []string {
	var list []string
	for _, d := range all.Names() {
		for _, f := range all.Faults(d) {
			list = append(list, f.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// engineOf is the engine that a configuration asks for.
func engineOf(c *config.Config) (engineFlags, error) {
	f := engineFlags{spec: c.Engine.Use, profile: c.Engine.Profile}
	if len(c.Engine.Command) > 0 {
		f.spec, f.command = "reference", c.Engine.Command
	}
	f.bounds.Deadline, f.bounds.MaxRestarts, f.bounds.Processes = c.Limits.Timeout, c.Limits.Restarts, c.Limits.Processes
	if err := f.memory.Set(c.Limits.Memory); err != nil {
		return f, usageError(c.Errorf("limits.memory", "%w", err))
	}
	return f, nil
}
