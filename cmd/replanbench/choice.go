package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
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
		return fmt.Errorf("it is none of %s%s", strings.Join(c.allowed, ", "), didYouMean(s, c.allowed))
	}
	*c.value = s
	return nil
}

// didYouMean suggests the name nearest to a misspelt one: `; did you mean
// "apply"?`, or "" where none is near.
func didYouMean(got string, names []string) string {
	best, least := "", max(2, len(got)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(got), n); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the Levenshtein distance of two short strings, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
