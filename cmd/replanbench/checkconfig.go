package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/reports/gate"
)

// effective reads the configuration, sets what the flags say over it, and
// refuses what makes no sense.
func (f *checkFlags) effective(e env, cmd *cobra.Command) (*config.Config, error) {
	c, err := readConfig(e, f.Config)
	if err != nil {
		return nil, err
	}
	for _, o := range f.given {
		if key := o.Tag("key"); key != "" && o.Changed {
			c.Override(key, "--"+o.Name, o.Field())
		}
	}
	if cmd.Flags().Changed("engine") {
		c.Engine.Command = nil
	}
	if f.Command != nil {
		c.Override("engine.command", "--", &f.Command)
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
