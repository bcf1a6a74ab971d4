package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
)

// choice is a flag value out of a closed list.
type choice struct {
	value   *string
	allowed []string
}

// addChoice adds a flag that takes one of the allowed values; the first is the
// default.
func addChoice(cmd *cobra.Command, p *string, name, usage string, allowed ...string) {
	*p = allowed[0]
	cmd.Flags().Var(choice{p, allowed}, name, usage+": "+strings.Join(allowed, ", "))
	if err := cmd.RegisterFlagCompletionFunc(name,
		cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // a flag was added twice
	}
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c choice) Type() string { return "NAME" }

func (c choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("choose one of %s%s", strings.Join(c.allowed, ", "), harness.DidYouMean(s, c.allowed))
	}
	*c.value = s
	return nil
}
