package campaign

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"replanbench/harness"
)

// premade is how many cases [Ceiling] draws from.
const premade = 2048

// Ceiling measures what no campaign with these cases can beat: how many of them
// a worker gets through in a second if making one costs next to nothing, the
// reference reads and applies it, and nobody looks at what comes out. It runs n
// cases: some of the campaign's own, drawn by a plain random sequence, their
// texts copied.
func Ceiling(ctx context.Context, c Config, n int) (perSecond float64, err error) {
	if c.Judging.Reference == nil {
		return 0, errors.New("measuring the ceiling of a campaign takes a reference")
	}
	sample, err := c.sampler()
	if err != nil {
		return 0, err
	}
	cases := make([]harness.Case, min(n, premade))
	for i := range cases {
		cases[i] = sample(c.Seed, c.First+uint64(i)).Case
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	start := time.Now()
	for range n {
		if _, err := c.Judging.Reference.Eval(ctx, anew(cases[rng.IntN(len(cases))])); err != nil {
			return 0, err
		}
	}
	return float64(n) / max(time.Since(start).Seconds(), 1e-9), nil
}

// anew copies the texts of a case.
func anew(c harness.Case) harness.Case {
	c.Plan, c.Replies = slices.Clone(c.Plan), slices.Clone(c.Replies)
	for i, r := range c.Replies {
		c.Replies[i] = harness.Reply(strings.Clone(string(r)))
	}
	return c
}
