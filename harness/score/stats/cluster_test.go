package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"replanbench/harness/score/stats"
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
	// t(0.975; 2) = 4.302653 in any table. The four are symmetric, so that
	// nothing is bent.
	clusters := sumUp([][]float64{{1, 1}, {0, 0}, {1, 1}, {0, 0}})
	mean, lo, hi := stats.MeanInterval(clusters, 0.95)
	half := 4.302653 * math.Sqrt(4./3*4) / 8
	if mean != 0.5 || !near(lo, 0.5-half, 1e-6) || !near(hi, 0.5+half, 1e-6) {
		t.Errorf("MeanInterval = %v, %v, %v, want 0.5 ± %v", mean, lo, hi, half)
	}
	if _, lo, hi := stats.MeanInterval(sumUp([][]float64{{1, 2}}), 0.95); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("one cluster: %v to %v, want no bounds", lo, hi)
	}
	// A long tail upwards lets the mean lie farther up, not farther down.
	mean, lo, hi = stats.MeanInterval(sumUp([][]float64{{1}, {2}, {1}, {2}, {1}, {2}, {1}, {20}}), 0.95)
	if hi-mean < 1.5*(mean-lo) {
		t.Errorf("%v to %v about %v", lo, hi, mean)
	}
}

// TestMeanTestGoesWithItsInterval: p is below 5 % where the 95 % interval leaves
// 0 out, unless there are too few values for that.
func TestMeanTestGoesWithItsInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-2, 6), 1, 3), 7, 30).Draw(t, "groups")
		clusters := sumUp(groups)
		other := 0
		for _, c := range clusters {
			if c.Sum != 0 {
				other++
			}
		}
		_, lo, hi := stats.MeanInterval(clusters, 0.95)
		p := stats.MeanTest(clusters)
		if edge := min(math.Abs(lo), math.Abs(hi)); edge < 1e-6 || other < 6 {
			t.Skip("too close to tell")
		}
		if (p <= 0.05) != (lo > 0 || hi < 0) {
			t.Fatalf("p %v, and the interval is %v to %v", p, lo, hi)
		}
	})
	for _, values := range [][]float64{nil, {3}, {0, 0, 0}, {2, 2}, {2, 2, 2, 2, 2}} {
		if p := stats.MeanTest(sumUp([][]float64{values})); p != 1 {
			t.Errorf("one cluster of %v: p %v", values, p)
		}
		var each [][]float64
		for _, v := range values {
			each = append(each, []float64{v})
		}
		if p := stats.MeanTest(sumUp(each)); p <= 0.05 {
			t.Errorf("%v: p %v of so few values", values, p)
		}
	}
}

func TestRate(t *testing.T) {
	// Ten identical replies to each plan tell no more than one would.
	copies := yesNo(15, 148)
	for i := range copies {
		copies[i] = stats.Cluster{Sum: 10 * copies[i].Sum, N: 10}
	}
	rate, lo1, hi1 := stats.Rate(yesNo(15, 148), 0.95)
	if _, lo, hi := stats.Rate(copies, 0.95); !near(rate, 15./148, 1e-12) || !near(lo, lo1, 1e-9) || !near(hi, hi1, 1e-9) {
		t.Errorf("ten copies each: %v to %v, want %v to %v", lo, hi, lo1, hi1)
	}
	// Between the ends of Clopper and Pearson, 0.0578 and 0.1617, and those of the
	// mid-P interval.
	if lo1 < 0.0578 || lo1 > 0.0610 || hi1 > 0.1617 || hi1 < 0.1580 {
		t.Errorf("15 of 148: %v to %v", lo1, hi1)
	}
	// All alike: 20 clusters, none failed, whatever their size.
	all := slices.Repeat([]stats.Cluster{{Sum: 0, N: 50}}, 20)
	if _, lo, hi := stats.Rate(all, 0.95); lo > 1e-9 || !near(hi, 1-math.Pow(0.025/0.65, 1./20), 1e-9) {
		t.Errorf("no success in 20 clusters: %v to %v", lo, hi)
	}
	if _, lo, hi := stats.Rate([]stats.Cluster{{Sum: 3, N: 5}}, 0.95); lo != 0 || hi != 1 {
		t.Errorf("one cluster: %v to %v, want 0 to 1", lo, hi)
	}
	if rate, lo, hi := stats.Rate(nil, 0.95); !math.IsNaN(rate) || lo != 0 || hi != 1 {
		t.Errorf("nothing: %v, %v to %v", rate, lo, hi)
	}
}

// TestRateGrowsWithSuccesses: one success more in clusters of the same sizes
// moves neither end down, and what Holds says goes with the ends.
func TestRateGrowsWithSuccesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 6), 2, 14).Draw(t, "sizes")
		var clusters []stats.Cluster
		room := 0
		for _, n := range sizes {
			k := rapid.IntRange(0, n).Draw(t, "successes")
			clusters = append(clusters, stats.Cluster{Sum: float64(k), N: n})
			room += n - k
		}
		if room == 0 {
			t.Skip("no failure is left")
		}
		rate, lo, hi := stats.Rate(clusters, 0.95)
		if lo < 0 || hi > 1 || lo > rate || hi < rate {
			t.Fatalf("%v to %v about %v", lo, hi, rate)
		}
		x := rapid.Float64Range(0, 1).Draw(t, "rate")
		if min(math.Abs(x-lo), math.Abs(x-hi)) > 1e-6 && (lo < x && x < hi) != stats.Holds(clusters, 0.95, x) {
			t.Fatalf("%v to %v, and it is said of %v otherwise", lo, hi, x)
		}
		more := slices.Clone(clusters)
		i := rapid.IntRange(0, len(more)-1).Filter(func(i int) bool { return more[i].Sum < float64(more[i].N) }).Draw(t,
			"which")
		more[i].Sum++
		if _, lo2, hi2 := stats.Rate(more, 0.95); lo2 < lo-1e-6 || hi2 < hi-1e-6 {
			t.Fatalf("%v: %v to %v; with one more in cluster %d: %v to %v", clusters, lo, hi, i, lo2, hi2)
		}
	})
	for _, size := range []int{1, 3, 10} {
		before := 0.0
		for k := range 121 {
			clusters := make([]stats.Cluster, 120/size)
			for i := range clusters {
				clusters[i] = stats.Cluster{Sum: float64(min(size, max(0, k-i*size))), N: size}
			}
			_, lo, _ := stats.Rate(clusters, 0.95)
			if lo < before-1e-6 {
				t.Errorf("%d of 120, by %d: the lower end falls from %v to %v", k, size, before, lo)
			}
			before = lo
		}
	}
}

// process draws clusters whose rates vary about p: within a cluster the correlation
// of two observations is about as frequent as one side of a coin.
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

// BenchmarkRateOfUnequalClusters has a rate of 500 clusters of different sizes, and of 800
// groups of ten.
func BenchmarkRateOfUnequalClusters(b *testing.B) {
	for _, size := range []struct{ groups, cases int }{{1, 500}, {800, 10}} {
		b.Run(fmt.Sprintf("%dx%d", size.groups, size.cases), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			groups := make([][]stats.Cluster, size.groups)
			for i := range groups {
				for range size.cases {
					c := stats.Cluster{N: 1 + rng.IntN(27)}
					c.Sum = float64(rng.IntN(c.N + 1))
					groups[i] = append(groups[i], c)
				}
			}
			for b.Loop() {
				for _, g := range groups {
					stats.Rate(g, 0.95)
				}
			}
		})
	}
}
