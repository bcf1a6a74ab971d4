package stats_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"

	"replanbench/harness/stats"
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

func TestPairedDifference(t *testing.T) {
	tests := []struct {
		b, c, n int
		lo, hi  float64
	}{ // from the formula, worked out elsewhere
		{3, 8, 50, -0.03720860524, 0.22951629755},
		{10, 2, 30, -0.46217232514, -0.03782767486},
		{0, 0, 5, -0.39597252124, 0.39597252124},
		{0, 5, 5, 0.19583598522, 1},
		{0, 0, 1, -0.92393588290, 0.92393588290},
		{0, 0, 0, -1, 1},
	}
	for _, test := range tests {
		if lo, hi := stats.PairedDifference(test.b, test.c, test.n, 0.95); !near(lo, test.lo, 1e-10) || !near(hi, test.hi, 1e-10) {
			t.Errorf("PairedDifference(%d, %d, %d) = [%v, %v], want [%v, %v]", test.b, test.c, test.n, lo, hi, test.lo, test.hi)
		}
	}
}

// TestPairedDifferenceCovers adds up, over every result that so many pairs can
// have, the chance of those whose interval holds the true difference.
func TestPairedDifferenceCovers(t *testing.T) {
	for _, n := range []int{10, 40, 100} {
		for _, chance := range [][2]float64{{0.005, 0.005}, {0.02, 0.07}, {0.1, 0.1}, {0.05, 0.3}, {0.3, 0.3}} {
			down, up := chance[0], chance[1]
			var covered float64
			for b := range n + 1 {
				for c := range n - b + 1 {
					if lo, hi := stats.PairedDifference(b, c, n, 0.95); lo <= up-down && up-down <= hi {
						covered += trinomial(b, c, n, down, up)
					}
				}
			}
			if covered < 0.93 {
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

func TestPermutation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	// Darwin's maize, in eighths of an inch: Fisher's own example, 1726 of the
	// 32768 patterns.
	maize := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	tests := []struct {
		name string
		d    []float64
		want float64
	}{
		{"nothing", nil, 1},
		{"no difference", []float64{0, 0, 0}, 1},
		{"three of one sign", []float64{1, 2, 3}, 2. / 8},
		{"zeros say nothing", []float64{1, 0, 2, 0, 3}, 2. / 8},
		{"rounding", []float64{0.1, 0.2, -0.3}, 1},
		{"maize", maize, 1726. / 32768},
	}
	for _, test := range tests {
		if p := stats.Permutation(test.d, 1, rng); !near(p, test.want, 1e-12) {
			t.Errorf("%s: p = %v, want %v", test.name, p, test.want)
		}
	}

	// Five more pairs without a tendency, so that the patterns are drawn.
	more := append([]float64{1, -1, 2, -2, 1}, maize...)
	drawn := stats.Permutation(more, 40_000, rng)
	if want := enumerated(more); !near(drawn, want, 0.005) {
		t.Errorf("drawn p = %v, all patterns give %v", drawn, want)
	}
}

// enumerated walks all sign patterns by another way: one element at a time.
func enumerated(d []float64) float64 {
	var seen float64
	for _, x := range d {
		seen += x
	}
	extreme := 0
	var walk func(i int, sum float64)
	walk = func(i int, sum float64) {
		if i == len(d) {
			if math.Abs(sum) >= math.Abs(seen) {
				extreme++
			}
			return
		}
		walk(i+1, sum+d[i])
		walk(i+1, sum-d[i])
	}
	walk(0, 0)
	return float64(extreme) / math.Pow(2, float64(len(d)))
}

// Where nothing differs, a test at 5 % may cry wolf in 5 % of the experiments.
func TestPermutationFalseAlarms(t *testing.T) {
	const experiments = 2000
	rng := rand.New(rand.NewPCG(2, 2))
	alarms := 0
	for range experiments {
		d := make([]float64, 30)
		for i := range d {
			d[i] = rng.NormFloat64()
		}
		if stats.Permutation(d, 399, rng) <= 0.05 {
			alarms++
		}
	}
	if share := float64(alarms) / experiments; share < 0.035 || share > 0.065 {
		t.Errorf("%.1f %% false alarms, want about 5 %%", 100*share)
	}
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
