package generators_test

import (
	"testing"

	"pgregory.net/rapid"

	"replanbench/generators"
)

// draws is how many decisions one run of BenchmarkDraw takes, so that starting
// a run counts for little.
const draws = 1000

// BenchmarkDraw says what a decision costs: a number from rapid's tape, a bit
// from it, a decision made of such bits as tests take it, and one from the
// sequence that campaigns take theirs from. See the metric ns/draw.
func BenchmarkDraw(b *testing.B) {
	number, bit := rapid.IntRange(0, 15), rapid.Bool()
	tape := map[string]func(t *rapid.T){
		"rapid.IntRange": func(t *rapid.T) { number.Draw(t, "") },
		"rapid.Bool":     func(t *rapid.T) { bit.Draw(t, "") },
		"choices on the tape": func(t *rapid.T) {
			c := generators.Drawn(func() bool { return bit.Draw(t, "") })
			c.Below(16)
		},
	}
	for name, draw := range tape {
		b.Run(name, func(b *testing.B) {
			run := rapid.Custom(func(t *rapid.T) int {
				for range draws {
					draw(t)
				}
				return 0
			})
			for i := range b.N {
				run.Example(i)
			}
			perDraw(b)
		})
	}
	b.Run("choices in a campaign", func(b *testing.B) {
		for i := range b.N {
			c := generators.Seeded(1, uint64(i))
			for range draws {
				c.Below(16)
			}
		}
		perDraw(b)
	})
}

func perDraw(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/draws, "ns/draw")
}
