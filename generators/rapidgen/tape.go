// Package rapidgen has the generators as generators of pgregory.net/rapid, for use in
// rapid.Check. Decisions come from its tape, so rapid shrinks failures.
package rapidgen

import (
	"pgregory.net/rapid"

	"replanbench/generators"
)

// choices draw single bits: rapid's integers prefer small values, which would skew
// the mix, while its booleans are fair (and five times cheaper).
func choices(t *rapid.T) generators.Choices {
	bits := rapid.Bool()
	return generators.Drawn(func() bool { return bits.Draw(t, "") })
}

// Samples generates samples of the mix. new is the maker function of a dialect; wrong
// options fail the test that draws.
func Samples(new func(generators.Options) (*generators.Maker, error),
	opts generators.Options,
) *rapid.Generator[generators.Sample] {
	m, err := new(opts)
	return rapid.Custom(func(t *rapid.T) generators.Sample {
		if err != nil {
			t.Fatalf("generators: %v", err)
		}
		return m.Mixed(choices(t))
	})
}
