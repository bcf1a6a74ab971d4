// Package gentest has test helpers for the sample makers of several dialects. It is
// not part of the program.
package gentest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"replanbench/generators"
	"replanbench/generators/rapidgen"
	"replanbench/harness"
)

// Maker is the constructor of a dialect's maker.
type Maker = func(generators.Options) (*generators.Maker, error)

// Source returns a source of samples for the options.
func Source(t testing.TB, maker Maker, opts generators.Options) *generators.Source {
	t.Helper()
	m, err := maker(opts)
	if err != nil {
		t.Fatal(err)
	}
	return generators.NewSource(m)
}

// BothDoors draws samples from rapid and from seeds, and checks each one
// separately.
func BothDoors(t *testing.T, maker Maker, n uint64, agree func(generators.Sample) error) {
	t.Run("rapid", func(t *testing.T) {
		gen := rapidgen.Samples(maker, generators.Options{})
		rapid.Check(t, func(t *rapid.T) {
			if err := agree(gen.Draw(t, "sample")); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("seeded", func(t *testing.T) {
		s := Source(t, maker, generators.Options{})
		for i := range n {
			if err := agree(s.At(3, i)); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
		}
	})
}

// Outcome describes the expected outcome in a few words.
func Outcome(w generators.Want) string {
	switch {
	case w.Loose:
		return "not known"
	case w.Verdict == harness.Rejected:
		return Joined(w.Codes)
	case w.Rung == harness.RungReact:
		return "given up by react"
	}
	return string(w.Verdict)
}

// Joined joins acceptable codes with "|".
func Joined(codes []harness.Code) string {
	var list []string
	for _, c := range codes {
		list = append(list, string(c))
	}
	return strings.Join(list, "|")
}
