package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

// bounded is a flag value for a whole number with bounds.
type bounded struct {
	value     *int
	low, high int
}

// The most that makes sense, and that the machine survives.
const (
	maxWorkers = 1024
	maxEngines = 256
)

// addCount adds a flag that takes a number within bounds.
func addCount(cmd *cobra.Command, b bounded, name string, value int, usage string) {
	*b.value = value
	cmd.Flags().Var(b, name, usage)
}

// addWorkers adds --workers. 0 means one per processor.
func addWorkers(cmd *cobra.Command, p *int, what string) {
	addCount(cmd, bounded{p, 0, maxWorkers}, "workers", 0, "number of "+what+
		" that run at once (default one per processor)")
}

// addSeed adds --seed.
func addSeed(cmd *cobra.Command, p *uint64, what string) {
	cmd.Flags().Uint64Var(p, "seed", 1, "the seed of the "+what+"; the same seed gives the same "+what)
}

func (b bounded) Type() string { return "int" }

func (b bounded) String() string {
	if b.value == nil {
		return ""
	}
	return strconv.Itoa(*b.value)
}

func (b bounded) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < b.low || n > b.high {
		return fmt.Errorf("want a number from %d to %d", b.low, b.high)
	}
	*b.value = n
	return nil
}
