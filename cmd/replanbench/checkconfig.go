package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/reports/gate"
)

// override is a flag that sets a key of the configuration.
type override struct {
	flag, key string
	set       func(*config.Config)
}

// overrides lists the flags of check that set a key.
func (f *checkFlags) overrides() []override {
	return []override{
		{"engine", "engine.use", func(c *config.Config) { c.Engine.Use, c.Engine.Command = f.engine.Use, nil }},
		{"profile", "engine.profile", func(c *config.Config) { c.Engine.Profile = f.engine.Profile }},
		{"source", "engine.source", func(c *config.Config) { c.Engine.Source = f.engine.Source }},
		{"judge", "judge", func(c *config.Config) { c.Judge = f.engine.Judge }},
		{"codes", "engine.codes", func(c *config.Config) { c.Engine.Codes = f.engine.Codes }},
		{"without", "engine.without", func(c *config.Config) { c.Engine.Without = f.engine.Without }},
		{"gives", "engine.gives", func(c *config.Config) { c.Engine.Gives = f.engine.Gives }},
		{"timeout", "limits.timeout", func(c *config.Config) { c.Limits.Timeout = f.engine.Bounds.Deadline }},
		{"engine-memory", "limits.memory", func(c *config.Config) { c.Limits.Memory = f.engineMemory() }},
		{"max-restarts", "limits.restarts", func(c *config.Config) { c.Limits.Restarts = f.engine.Bounds.MaxRestarts }},
		{"engines", "limits.processes", func(c *config.Config) { c.Limits.Processes = f.engine.Bounds.Processes }},
		{"dialect", "dialects", func(c *config.Config) { c.Dialects = f.dialects }},
		{"cases", "suites.fuzz.cases", func(c *config.Config) { c.Suites.Fuzz.Cases = f.cases }},
		{"seed", "suites.fuzz.seed", func(c *config.Config) { c.Suites.Fuzz.Seed = f.seed }},
		{"known", "known", func(c *config.Config) { c.Known = f.known.read }},
		{"baseline", "baseline", func(c *config.Config) { c.Baseline = f.conditions.baseline }},
		{"allow-missing", "allow_missing", func(c *config.Config) { c.AllowMissing = f.conditions.missing }},
		{"require", "thresholds", func(c *config.Config) { c.Thresholds = f.conditions.require }},
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
	if f.engine.Command != nil {
		if cmd.Flags().Changed("engine") {
			return nil, usagef("--engine %s and -- %s name two engines (leave one out)", f.engine.Use,
				strings.Join(f.engine.Command, " "))
		}
		c.Engine.Command = f.engine.Command
		c.Override("engine.command", "--")
	}
	return c, usageError(errors.Join(append(gate.Sensible(c), sensibleTrim(c)...)...))
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
	return c, harness.Mistaken(err)
}
