package stats_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"

	"replanbench/harness/score/stats"
)

func TestMcNemar(t *testing.T) {
	tests := []struct {
		b, c int
		want float64
	}{
		{0, 0, 1},
		{7, 7, 1},
		{10, 2, 0.03857421875}, // 2·(1+12+66)/2¹²
		{2, 10, 0.03857421875},
		{0, 5, 0.0625},
		{0, 6, 0.03125},
		{5, 15, 0.04138947}, // R: mcnemar.exact, binom.test(5, 20)
	}
	for _, test := range tests {
		if p := stats.McNemar(test.b, test.c); !near(p, test.want, 1e-8) {
			t.Errorf("McNemar(%d, %d) = %v, want %v", test.b, test.c, p, test.want)
		}
	}
}

// binomialTail adds up the two tails in whole numbers.
func binomialTail(b, c int) float64 {
	n, sum := int64(b+c), new(big.Int)
	for i := range int64(min(b, c)) + 1 {
		sum.Add(sum, new(big.Int).Binomial(n, i))
	}
	p, _ := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return min(1, p)
}

func TestMcNemarAgainstWholeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c := rapid.IntRange(0, 400).Draw(t, "b"), rapid.IntRange(0, 400).Draw(t, "c")
		if got, want := stats.McNemar(b, c), binomialTail(b, c); !near(got, want, 1e-10) {
			t.Fatalf("McNemar(%d, %d) = %v, want %v", b, c, got, want)
		}
	})
}

// TestDifferenceTestOfSingleReplies: for −1, 0 and 1 it is McNemar's exact test.
func TestDifferenceTestOfSingleReplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c, same := rapid.IntRange(0, 60).Draw(t, "b"), rapid.IntRange(0, 60).Draw(t, "c"),
			rapid.IntRange(0, 60).Draw(t, "same")
		d := pairs(b, c, same)
		if got, want := stats.DifferenceTest(d), binomialTail(b, c); !near(got, want, 1e-10) {
			t.Fatalf("%d worse and %d better: p %v, McNemar says %v", b, c, got, want)
		}
	})
}

// pairs are differences of yes/no results.
func pairs(b, c, same int) []float64 {
	return slices.Concat(slices.Repeat([]float64{-1}, b), slices.Repeat([]float64{1}, c), make([]float64, same))
}

// TestDifferenceTestAgainstDraws: the probabilities agree with drawn weights.
func TestDifferenceTestAgainstDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const draws = 200_000
	for _, d := range [][]float64{
		{0.2, 0.5, -0.1},
		{-0.3, 0.4, 0.9, 0.1, 0.1, -0.7, 0.2},
		{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, -0.9, 0.1, 0.1, 0.1, 0.2, 0.3},
		{0, 0, 0, 0.25},
	} {
		below, above := 0, 0
		for range draws {
			low := -rng.ExpFloat64()
			high := -low
			for _, x := range d {
				w := x * rng.ExpFloat64()
				low, high = low+w, high+w
			}
			if low <= 0 {
				below++
			}
			if high >= 0 {
				above++
			}
		}
		want := min(1, 2*float64(min(below, above))/draws)
		if got := stats.DifferenceTest(d); !near(got, want, 0.008) {
			t.Errorf("%v: p %v, and %v by drawing", d, got, want)
		}
	}
}

func TestDifferenceTestSaysNothing(t *testing.T) {
	tenth := slices.Repeat([]float64{-0.1}, 10)
	for _, d := range [][]float64{nil, {0, 0, 0}, {1}, {1, 1, 1, 1, 1}, tenth, {-1, -1, 1, 1}} {
		if p := stats.DifferenceTest(d); p <= 0.05 {
			t.Errorf("%v: p %v", d, p)
		}
	}
	// Ten cases a tenth worse say nothing, as a single case that became much
	// better would make up for them. A hundred do.
	if p := stats.DifferenceTest(slices.Repeat(tenth, 10)); p > 0.001 {
		t.Errorf("a hundred cases that are a tenth worse: p %v", p)
	}
}

// TestDifferenceInterval: it goes with the test, and for a rate is that of
// Clopper and Pearson.
func TestDifferenceInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 25).Draw(t, "differences")
		lo, hi := stats.DifferenceInterval(d, 0.95)
		mean := stat.Mean(d, nil)
		if lo < -1 || hi > 1 || lo > mean || hi < mean {
			t.Fatalf("%v to %v about %v", lo, hi, mean)
		}
		if p := stats.DifferenceTest(d); math.Abs(p-0.05) > 1e-6 && (p <= 0.05) != (lo > 0 || hi < 0) {
			t.Fatalf("p %v, and the interval is %v to %v", p, lo, hi)
		}
	})
	// 15 of 148, scaled from 0…1 to −1…1.
	lo, hi := stats.DifferenceInterval(pairs(133, 15, 0), 0.95)
	if !near((lo+1)/2, 0.0578, 5e-5) || !near((hi+1)/2, 0.1617, 5e-5) {
		t.Errorf("%v to %v", (lo+1)/2, (hi+1)/2)
	}
	if lo, hi := stats.DifferenceInterval(nil, 0.95); lo != -1 || hi != 1 {
		t.Errorf("no differences: %v to %v", lo, hi)
	}
}

// TestDifferenceIntervalCovers adds up, over every result that so many pairs can
// have, the chance of those whose interval holds the true difference.
func TestDifferenceIntervalCovers(t *testing.T) {
	for _, n := range []int{10, 40} {
		for _, chance := range [][2]float64{{0.005, 0.005}, {0.02, 0.07}, {0.1, 0.1}, {0.05, 0.3}, {0.3, 0.3}} {
			down, up := chance[0], chance[1]
			var covered float64
			for b := range n + 1 {
				for c := range n - b + 1 {
					weight := trinomial(b, c, n, down, up)
					if weight < 1e-7 {
						continue
					}
					if lo, hi := stats.DifferenceInterval(pairs(b, c, n-b-c), 0.95); lo <= up-down && up-down <= hi {
						covered += weight
					}
				}
			}
			if covered < 0.945 {
				t.Errorf("%d pairs, %v: %.2f %% of the intervals cover", n, chance, 100*covered)
			}
		}
	}
}

func trinomial(b, c, n int, down, up float64) float64 {
	gamma := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return math.Exp(gamma(n) - gamma(b) - gamma(c) - gamma(n-b-c) +
		float64(b)*math.Log(down) + float64(c)*math.Log(up) + float64(n-b-c)*math.Log(1-down-up))
}

func TestHolm(t *testing.T) {
	nan := math.NaN()
	tests := []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{0.02}, []float64{0.02}},
		// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.9, 0.6}, []float64{1, 1, 1}},
		{[]float64{nan, 0.01, nan, 0.02}, []float64{nan, 0.02, nan, 0.02}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, stats.Holm(test.p), cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("Holm(%v) (-want +got):\n%s", test.p, diff)
		}
	}
}

func TestHolmLeavesItsInput(t *testing.T) {
	p := []float64{0.04, 0.01}
	stats.Holm(p)
	if diff := cmp.Diff([]float64{0.04, 0.01}, p); diff != "" {
		t.Errorf("the input changed (-want +got):\n%s", diff)
	}
}

// Every choice of k replies out of n is written out and counted.
func TestPassAgainstEnumeration(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				any, all, choices := 0, 0, combin.Combinations(n, k)
				for _, choice := range choices {
					good := 0
					for _, i := range choice {
						if i < c {
							good++
						}
					}
					if good > 0 {
						any++
					}
					if good == k {
						all++
					}
				}
				wantAny, wantAll := float64(any)/float64(len(choices)), float64(all)/float64(len(choices))
				gotAny, ok1 := stats.PassAtK(n, c, k)
				gotAll, ok2 := stats.PassHatK(n, c, k)
				if !ok1 || !ok2 || !near(gotAny, wantAny, 1e-12) || !near(gotAll, wantAll, 1e-12) {
					t.Errorf("n %d, c %d, k %d: pass@k %v, pass^k %v, want %v, %v", n, c, k, gotAny, gotAll, wantAny, wantAll)
				}
			}
		}
	}
}

func TestPassWithoutEnoughReplies(t *testing.T) {
	for _, x := range [][3]int{{2, 1, 3}, {2, 1, 0}, {2, 3, 1}, {0, 0, 1}} {
		if p, ok := stats.PassAtK(x[0], x[1], x[2]); ok {
			t.Errorf("PassAtK%v = %v, want no estimate", x, p)
		}
		if p, ok := stats.PassHatK(x[0], x[1], x[2]); ok {
			t.Errorf("PassHatK%v = %v, want no estimate", x, p)
		}
	}
}

// TestPassHatOfTauBench: the figures that the authors of τ-bench publish for 50
// tasks with four trials each, .420 .273 .220 .200, come out of the tasks' counts.
func TestPassHatOfTauBench(t *testing.T) {
	tasks := []int{14, 12, 10, 4, 10} // with 0, 1, 2, 3 and 4 successes
	for k, want := range []float64{0.420, 0.273, 0.220, 0.200} {
		var sum float64
		for c, n := range tasks {
			p, ok := stats.PassHatK(4, c, k+1)
			if !ok {
				t.Fatalf("no estimate of pass^%d", k+1)
			}
			sum += p * float64(n)
		}
		if got := sum / 50; !near(got, want, 5e-4) {
			t.Errorf("pass^%d is %.4f, want %.3f", k+1, got, want)
		}
	}
}
