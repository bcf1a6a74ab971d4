package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"replanbench/harness/stats"
)

func sumUp(groups [][]float64) []stats.Cluster {
	var clusters []stats.Cluster
	for _, g := range groups {
		c := stats.Cluster{N: len(g)}
		for _, x := range g {
			c.Sum += x
		}
		clusters = append(clusters, c)
	}
	return clusters
}

func TestMean(t *testing.T) {
	tests := []struct {
		name     string
		groups   [][]float64
		mean, se float64
	}{
		// Residual sums 1, −1, 0: √(3/2 · 2)/6.
		{"alike within", [][]float64{{1, 1}, {0, 0}, {1, 0}}, 0.5, math.Sqrt(3) / 6},
		// The residual sums cancel within each cluster.
		{"opposite within", [][]float64{{1, 0}, {0, 1}}, 0.5, 0},
		{"empty clusters do not count", [][]float64{{1}, {}, {3}, {}}, 2, 1},
		{"one cluster", [][]float64{{1, 2, 3}}, 2, math.Inf(1)},
		{"nothing", nil, math.NaN(), math.Inf(1)},
	}
	for _, test := range tests {
		mean, se := stats.Mean(sumUp(test.groups))
		if !same(mean, test.mean) || !same(se, test.se) {
			t.Errorf("%s: Mean = %v ± %v, want %v ± %v", test.name, mean, se, test.mean, test.se)
		}
	}
}

func same(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || near(a, b, 1e-12)
}

// With one observation a cluster the error must be the textbook one, and the
// sum over clusters must be the double sum of the definition.
func TestMeanAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		group := rapid.SliceOfN(rapid.Float64Range(-10, 10), 1, 4)
		groups := rapid.SliceOfN(group, 2, 12).Draw(t, "groups")
		mean, se := stats.Mean(sumUp(groups))
		var all []float64
		for _, g := range groups {
			all = append(all, g...)
		}
		if want := stat.Mean(all, nil); !near(mean, want, 1e-9) {
			t.Fatalf("mean %v, want %v", mean, want)
		}
		var double float64
		for _, g := range groups {
			for _, x := range g {
				for _, y := range g {
					double += (x - mean) * (y - mean)
				}
			}
		}
		k := float64(len(groups))
		want := math.Sqrt(max(0, double)*k/(k-1)) / float64(len(all))
		if !near(se, want, 1e-6) {
			t.Fatalf("se %v, want %v", se, want)
		}
		if len(all) == len(groups) {
			if want := stat.StdErr(stat.StdDev(all, nil), k); !near(se, want, 1e-9) {
				t.Fatalf("se %v, textbook %v", se, want)
			}
		}
	})
}

func TestMeanInterval(t *testing.T) {
	// t(0.975; 2) = 4.302653 in any table.
	mean, lo, hi := stats.MeanInterval(sumUp([][]float64{{1, 1}, {0, 0}, {1, 0}}), 0.95)
	half := 4.302653 * math.Sqrt(3) / 6
	if mean != 0.5 || !near(lo, 0.5-half, 1e-6) || !near(hi, 0.5+half, 1e-6) {
		t.Errorf("MeanInterval = %v, %v, %v", mean, lo, hi)
	}
	if _, lo, hi := stats.MeanInterval(sumUp([][]float64{{1, 2}}), 0.95); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("one cluster: %v to %v, want no bounds", lo, hi)
	}
}

func TestRate(t *testing.T) {
	single := make([]stats.Cluster, 148)
	for i := range single {
		single[i].N = 1
		if i < 15 {
			single[i].Sum = 1
		}
	}
	if rate, lo, hi := stats.Rate(single, 0.95); !near(rate, 15./148, 1e-12) || !near(lo, 0.0624, 5e-5) || !near(hi, 0.1605, 5e-5) {
		t.Errorf("one reply a cluster: %v (%v to %v), want Wilson's interval", rate, lo, hi)
	}

	// Ten identical replies to each plan tell no more than one would.
	copies := slices.Clone(single)
	for i := range copies {
		copies[i] = stats.Cluster{Sum: 10 * copies[i].Sum, N: 10}
	}
	_, lo1, hi1 := stats.Rate(single, 0.95)
	if _, lo, hi := stats.Rate(copies, 0.95); !near(lo, lo1, 0.002) || !near(hi, hi1, 0.002) {
		t.Errorf("ten copies each: %v to %v, want about %v to %v", lo, hi, lo1, hi1)
	}

	// All alike: 20 clusters, none failed, whatever their size.
	all := slices.Repeat([]stats.Cluster{{Sum: 0, N: 50}}, 20)
	if _, lo, hi := stats.Rate(all, 0.95); lo != 0 || hi < 0.1611 || hi > 0.20 {
		t.Errorf("no success in 20 clusters: %v to %v, want 0 to a little above 0.1611", lo, hi)
	}
	if _, lo, hi := stats.Rate([]stats.Cluster{{Sum: 3, N: 5}}, 0.95); lo != 0 || hi != 1 {
		t.Errorf("one cluster: %v to %v, want 0 to 1", lo, hi)
	}
	if rate, lo, hi := stats.Rate(nil, 0.95); !math.IsNaN(rate) || lo != 0 || hi != 1 {
		t.Errorf("nothing: %v, %v to %v", rate, lo, hi)
	}
}

// process draws clusters whose rates vary about p: within a cluster the correlation
// of two observations is about that of a coin with two sides, high and low.
func process(rng *rand.Rand, clusters, size int, p, spread float64) []stats.Cluster {
	list := make([]stats.Cluster, clusters)
	for i := range list {
		rate := p + spread
		if rng.IntN(2) == 0 {
			rate = p - spread
		}
		list[i].N = 1 + rng.IntN(size)
		for range list[i].N {
			if rng.Float64() < rate {
				list[i].Sum++
			}
		}
	}
	return list
}

// A 95 % interval must hold the truth in 95 % of the experiments, give or take
// the error of the simulation: here 93 to 97 %.
func TestCoverage(t *testing.T) {
	const experiments, truth = 3000, 0.7
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(size int, spread float64) []stats.Cluster { return process(rng, 80, size, truth, spread) }
	tests := []struct {
		name     string
		interval func() (lo, hi float64)
	}{
		{"Wilson", func() (lo, hi float64) {
			k := 0
			for _, c := range process(rng, 150, 1, truth, 0) {
				k += int(c.Sum)
			}
			return stats.Wilson(k, 150, 0.95)
		}},
		{"Rate, independent", func() (lo, hi float64) { _, lo, hi = stats.Rate(draw(5, 0), 0.95); return }},
		{"Rate, clustered", func() (lo, hi float64) { _, lo, hi = stats.Rate(draw(8, 0.25), 0.95); return }},
		{"MeanInterval, clustered", func() (lo, hi float64) { _, lo, hi = stats.MeanInterval(draw(8, 0.25), 0.95); return }},
		{"Bootstrap, clustered", func() (lo, hi float64) { return stats.Bootstrap(draw(8, 0.25), 0.95, 300, rng) }},
	}
	for _, test := range tests {
		held := 0
		for range experiments {
			if lo, hi := test.interval(); lo <= truth && truth <= hi {
				held++
			}
		}
		if share := float64(held) / experiments; share < 0.93 || share > 0.97 {
			t.Errorf("%s: the interval holds the truth in %.1f %% of the experiments", test.name, 100*share)
		}
	}
}

// What the clusters are for: the interval that ignores them is wrong far more
// often than it says.
func TestIgnoringClustersMisleads(t *testing.T) {
	const experiments, truth = 2000, 0.5
	rng := rand.New(rand.NewPCG(3, 4))
	held := 0
	for range experiments {
		k, n := 0, 0
		for _, c := range process(rng, 60, 20, truth, 0.45) {
			k, n = k+int(c.Sum), n+c.N
		}
		if lo, hi := stats.Wilson(k, n, 0.95); lo <= truth && truth <= hi {
			held++
		}
	}
	if share := float64(held) / experiments; share > 0.75 {
		t.Errorf("plain Wilson holds the truth in %.1f %%: the simulated clusters are too weak to show anything", 100*share)
	}
}

func TestBootstrap(t *testing.T) {
	clusters := process(rand.New(rand.NewPCG(5, 6)), 300, 6, 0.6, 0.2)
	lo, hi := stats.Bootstrap(clusters, 0.95, 2000, rand.New(rand.NewPCG(7, 8)))
	_, wantLo, wantHi := stats.MeanInterval(clusters, 0.95)
	if !near(lo, wantLo, 0.006) || !near(hi, wantHi, 0.006) {
		t.Errorf("bootstrap %v to %v, formula %v to %v", lo, hi, wantLo, wantHi)
	}
	lo2, hi2 := stats.Bootstrap(clusters, 0.95, 2000, rand.New(rand.NewPCG(7, 8)))
	if lo != lo2 || hi != hi2 {
		t.Error("the same seed gave another interval")
	}
	if lo, hi := stats.Bootstrap(clusters[:1], 0.95, 100, rand.New(rand.NewPCG(7, 8))); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("one cluster: %v to %v, want no bounds", lo, hi)
	}
}
