package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

// count is a flag value for a whole number with bounds.
type count struct {
	value     *int
	low, high int
}

// The most that makes sense, and that the machine survives.
const (
	maxWorkers = 1024
	maxEngines = 256
)

// addCount adds a flag that takes a number from low to high.
func addCount(cmd *cobra.Command, p *int, name string, value, low, high int, usage string) {
	*p = value
	cmd.Flags().Var(count{p, low, high}, name, usage)
}

// addWorkers adds --workers, of which 0 is one per processor.
func addWorkers(cmd *cobra.Command, p *int, usage string) {
	addCount(cmd, p, "workers", 0, 0, maxWorkers, usage)
}

func (c count) Type() string { return "int" }

func (c count) String() string {
	if c.value == nil {
		return ""
	}
	return strconv.Itoa(*c.value)
}

func (c count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < c.low || n > c.high {
		return fmt.Errorf("it is no number from %d to %d", c.low, c.high)
	}
	*c.value = n
	return nil
}
