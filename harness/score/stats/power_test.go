package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"replanbench/harness/score/stats"
)

func TestMinimumEffect(t *testing.T) {
	// 1.959964 + 0.841621, from any table of the normal distribution.
	if got := stats.MinimumEffect(0.02, stats.Usual()); !near(got, 2.801585*0.02, 1e-7) {
		t.Errorf("MinimumEffect = %v", got)
	}
}

func TestNeededPairs(t *testing.T) {
	tests := []struct {
		worse, better float64
		want          int
		ok            bool
	}{
		{0.1, 0.2, 244, true}, // (1.959964·√0.3 + 0.841621·√0.29)²/0.01 = 233.09, and 1/0.1
		{0.2, 0.1, 244, true},
		{0, 0.05, 175, true}, // (1.959964·√0.05 + 0.841621·√0.0475)²/0.0025 = 154.66, and 1/0.05
		{0.1, 0.1, 0, false},
		{0, 0, 0, false},
		{math.NaN(), 0.1, 0, false},
		{0.2, 0.2 + 1e-9, 0, false}, // more than anyone has
	}
	for _, test := range tests {
		if n, ok := stats.NeededPairs(test.worse, test.better, stats.Usual()); n != test.want || ok != test.ok {
			t.Errorf("NeededPairs(%v, %v) = %d, %v, want %d, %v", test.worse, test.better, n, ok, test.want, test.ok)
		}
	}
}

func TestNeededClusters(t *testing.T) {
	// An error of 0.1 from 50 clusters must fall to 0.05/2.801585.
	if n, ok := stats.NeededClusters(50, 0.1, -0.05, stats.Usual()); n != 1570 || !ok {
		t.Errorf("NeededClusters = %d, %v, want 1570", n, ok)
	}
	for _, x := range [][2]float64{{0.1, 0}, {0, 0.1}, {math.Inf(1), 0.1}, {math.NaN(), 0.1}, {0.1, math.NaN()}} {
		if n, ok := stats.NeededClusters(50, x[0], x[1], stats.Usual()); ok {
			t.Errorf("NeededClusters(50, %v, %v) = %d, want no answer", x[0], x[1], n)
		}
	}
}

// The promise of NeededPairs: so many pairs find the difference in about four
// of five experiments. The exact test is a little more careful than the formula.
func TestNeededPairsHasItsPower(t *testing.T) {
	const experiments, worse, better = 1500, 0.08, 0.16
	rng := rand.New(rand.NewPCG(9, 9))
	n, _ := stats.NeededPairs(worse, better, stats.Usual())
	found := 0
	for range experiments {
		b, c := 0, 0
		for range n {
			switch x := rng.Float64(); {
			case x < worse:
				b++
			case x < worse+better:
				c++
			}
		}
		if stats.McNemar(b, c) <= 0.05 {
			found++
		}
	}
	if share := float64(found) / experiments; share < 0.74 || share > 0.86 {
		t.Errorf("%d pairs find the difference in %.1f %% of the experiments, want about 80 %%", n, 100*share)
	}
}
