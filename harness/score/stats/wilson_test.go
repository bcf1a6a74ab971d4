package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"replanbench/harness/score/stats"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestWilson(t *testing.T) {
	tests := []struct {
		k, n       int
		confidence float64
		lo, hi     float64
	}{
		// The two worked examples of R. G. Newcombe, Statist. Med. 17 (1998),
		// table I, and its two extreme rows, method 3.
		{81, 263, 0.95, 0.2553, 0.3662},
		{15, 148, 0.95, 0.0624, 0.1605},
		{0, 20, 0.95, 0, 0.1611},
		{1, 29, 0.95, 0.0061, 0.1718},
		// By hand: z² = 3.841459, so 0/10 ends at z²/(10+z²).
		{0, 10, 0.95, 0, 0.277533},
		{10, 10, 0.95, 0.722467, 1},
		{0, 0, 0.95, 0, 1},
	}
	for _, test := range tests {
		lo, hi := stats.Wilson(test.k, test.n, test.confidence)
		if !near(lo, test.lo, 5e-5) || !near(hi, test.hi, 5e-5) {
			t.Errorf("Wilson(%d, %d, %v) = %.4f, %.4f, want %.4f, %.4f",
				test.k, test.n, test.confidence, lo, hi, test.lo, test.hi)
		}
	}
}

func TestWilsonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		confidence := rapid.Float64Range(0.5, 0.999).Draw(t, "confidence")
		lo, hi := stats.Wilson(k, n, confidence)
		p := float64(k) / float64(n)
		if lo < 0 || hi > 1 || lo > p || hi < p {
			t.Fatalf("Wilson(%d, %d) = %v, %v does not hold %v within 0 and 1", k, n, lo, hi, p)
		}
		mlo, mhi := stats.Wilson(n-k, n, confidence)
		if !near(lo, 1-mhi, 1e-12) || !near(hi, 1-mlo, 1e-12) {
			t.Fatalf("Wilson(%d, %d) is not the mirror of its complement", k, n)
		}
	})
}
