package main

import (
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/reference"
)

// engineFlags choose the engine under test.
type engineFlags struct {
	spec    string
	command []string // what stands behind --
	profile []string // settings over the engine's own profile
}

func (f *engineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.spec, "engine", "reference", "the `ENGINE` under test: reference")
	cmd.Flags().StringArrayVar(&f.profile, "profile", nil, "judge under this `PROFILE`: a set name or knob=value; may stand several times (see replanbench list policies)")
}

// split takes the engine's command from behind -- and returns the arguments
// before it.
func (f *engineFlags) split(cmd *cobra.Command, args []string) []string {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		return args
	}
	f.command = args[dash:]
	return args[:dash]
}

// settings returns the profile that the flags ask for, or nil for none.
func (f *engineFlags) settings() (*harness.Profile, error) {
	if len(f.profile) == 0 {
		return nil, nil
	}
	p := harness.Reference()
	for _, s := range f.profile {
		if err := p.Apply(s); err != nil {
			return nil, usagef("--profile: %w", err)
		}
	}
	return &p, nil
}

// open resolves the engine. The caller closes it.
func (f *engineFlags) open() (harness.Engine, error) {
	p, err := f.settings()
	if err != nil {
		return nil, err
	}
	kind, _, _ := strings.Cut(f.spec, ":")
	switch {
	case f.command != nil:
		return nil, usagef("-- %s: engines of your own cannot be run yet", strings.Join(f.command, " "))
	case kind == "reference" && p == nil:
		return reference.New(), nil
	case kind == "reference":
		return reference.WithProfile(*p), nil
	}
	return nil, usagef("--engine %s: no such engine (use reference)", f.spec)
}

// again returns the arguments that choose the same engine, for the command
// line that reproduces a result.
func (f *engineFlags) again() []string {
	var args []string
	if f.spec != "reference" {
		args = append(args, "--engine", f.spec)
	}
	for _, p := range f.profile {
		args = append(args, "--profile", p)
	}
	if f.command != nil {
		args = append(append(args, "--"), f.command...)
	}
	return args
}
