package campaign

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/invariant"
	"replanbench/harness/reference"
)

// BenchmarkLoop is the whole loop on the default mix, as the command fuzz runs
// it: make a case, write it as text, read it, apply it, judge the outcome by
// every check, count what was covered. An operation is a case.
//
// Beside it stands the ceiling, measured in the same run: as many cases of the
// same mix from a generator that costs next to nothing, read and applied, and
// nobody looks at what comes out. With -cpu 1 all figures are for one core.
func BenchmarkLoop(b *testing.B) {
	cases := premade(b, 4096)
	b.ReportAllocs()
	b.ResetTimer()
	loop(b)
	whole := b.Elapsed()
	b.StopTimer()
	start := time.Now()
	ceiling(b, cases)
	bare := time.Since(start)
	b.ReportMetric(float64(b.N)/whole.Seconds(), "cases/s")
	b.ReportMetric(float64(b.N)/bare.Seconds(), "ceiling-cases/s")
	b.ReportMetric(100*bare.Seconds()/whole.Seconds(), "%-of-ceiling")
}

func loop(b *testing.B) {
	run, err := Start(b.Context(), Config{
		Dialect: harness.PlanPatch, Seed: 1, Cases: uint64(b.N),
		Engine: reference.New(), Fresh: func() (harness.Engine, error) { return reference.New(), nil },
		Judging: invariant.Options{Reference: reference.New(), SampleReference: true},
	})
	if err != nil || run.Ran != uint64(b.N) || len(run.Result.Groups) > 0 {
		b.Fatalf("%d of %d cases, %d groups of findings: %v", run.Ran, b.N, len(run.Result.Groups), err)
	}
}

// premade makes cases of the default mix.
func premade(b *testing.B, n int) []harness.Case {
	source, err := generators.New(harness.PlanPatch, generators.Options{})
	if err != nil {
		b.Fatal(err)
	}
	cases := make([]harness.Case, n)
	for i := range cases {
		cases[i] = source.At(1, uint64(i)).Case
	}
	return cases
}

// ceiling draws cases by a plain random sequence, copies their texts, and has
// them read and applied.
func ceiling(b *testing.B, cases []harness.Case) {
	rng, engine := rand.New(rand.NewPCG(1, 2)), reference.New()
	for range b.N {
		c := cases[rng.IntN(len(cases))]
		c.Plan, c.Replies = slices.Clone(c.Plan), slices.Clone(c.Replies)
		for i, r := range c.Replies {
			c.Replies[i] = harness.Reply(strings.Clone(string(r)))
		}
		if _, err := engine.Eval(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParts measures the two halves of the loop that are no judging.
func BenchmarkParts(b *testing.B) {
	b.Run("make", func(b *testing.B) {
		source, err := generators.New(harness.PlanPatch, generators.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for i := range b.N {
			source.At(1, uint64(i))
		}
	})
	b.Run("read and apply", func(b *testing.B) {
		cases := premade(b, 4096)
		b.ReportAllocs()
		b.ResetTimer()
		ceiling(b, cases)
	})
}
