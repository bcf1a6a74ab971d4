package stats_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"replanbench/harness/score/stats"
)

// long asks for the long form of the simulations, whose figures are published:
//
//	go test ./harness/score/stats -run 'Coverage|FalseVerdicts|Power' -v -long
var long = flag.Bool("long", false, "the long form of simulations")

// seed is the seed of the simulations.
var seed = flag.Uint64("seed", 1, "of the simulations")

func repetitions(short, full int) int {
	if *long {
		return full
	}
	return short
}

// chanceOf draws a case's own chance of success: its mean is p, and icc is the
// correlation of two replies to one case.
func chanceOf(rng *rand.Rand, p, icc float64) float64 {
	if icc == 0 {
		return p
	}
	more := (1 - icc) / icc
	return distuv.Beta{Alpha: p * more, Beta: (1 - p) * more, Src: rng}.Rand()
}

// successes draws how many of n replies succeed.
func successes(rng *rand.Rand, n int, chance float64) int {
	k := 0
	for range n {
		if rng.Float64() < chance {
			k++
		}
	}
	return k
}

// effect draws the chances of one case before and after a change that moves no
// mean.
type effect struct {
	name string
	draw func(rng *rand.Rand, p, icc float64) (base, now float64)
}

func effects() []effect {
	return []effect{
		{"even", func(rng *rand.Rand, p, icc float64) (float64, float64) {
			x := chanceOf(rng, p, icc)
			return x, x
		}},
		// As many cases better by up to 60 points as worse.
		{"uneven", func(rng *rand.Rand, p, icc float64) (float64, float64) {
			x := chanceOf(rng, p, icc)
			d := min(0.3, x, 1-x)
			if rng.IntN(2) == 0 {
				d = -d
			}
			return x - d, x + d
		}},
		// A few cases lost for good, all others a little better.
		{"skewed", func(rng *rand.Rand, p, _ float64) (float64, float64) {
			lost := min(0.1, 1-p)
			if rng.Float64() < lost {
				return p, 0
			}
			return p, p / (1 - lost)
		}},
	}
}

// differences draws the mean differences of cases.
func differences(rng *rand.Rand, e effect, cases int, samples [2]int, p, icc float64) []float64 {
	d := make([]float64, cases)
	for i := range d {
		base, now := e.draw(rng, p, icc)
		a, b := successes(rng, samples[0], base), successes(rng, samples[1], now)
		d[i] = float64(b*samples[0]-a*samples[1]) / float64(samples[0]*samples[1]) // equal ones exactly so
	}
	return d
}

// outside reports whether a share of n simulations lies outside a range by more
// than the simulation's own error.
func outside(share float64, n int, low, high float64) bool {
	const errors = 3
	off := func(bound float64) float64 { return errors * math.Sqrt(bound*(1-bound)/float64(n)) }
	return share < low-off(low) || share > high+off(high)
}

// TestFalseVerdicts: where the means are equal, a test at 5 % finds a difference
// in no more than 5 % of all experiments, however many replies either side has
// and whatever the change does to single cases.
func TestFalseVerdicts(t *testing.T) {
	const most = 0.05
	n := repetitions(150, 10_000)
	worst := 0.0
	t.Logf("%-7s %-7s %-5s %-4s %6s %6s %6s %6s %6s", "effects", "samples", "p", "ICC", "10", "20", "50", "80", "100 cases")
	for _, e := range effects() {
		for _, samples := range [][2]int{{1, 1}, {1, 3}, {1, 10}, {3, 3}, {5, 5}} {
			for _, p := range []float64{0.5, 0.8, 0.95} {
				for _, icc := range []float64{0, 0.3, 0.8} {
					var shares [5]float64
					for i, cases := range []int{10, 20, 50, 80, 100} {
						rng := rand.New(rand.NewPCG(*seed, uint64(cases)))
						found := 0
						for range n {
							if stats.DifferenceTest(differences(rng, e, cases, samples, p, icc)) <= 0.05 {
								found++
							}
						}
						shares[i] = float64(found) / float64(n)
						worst = max(worst, shares[i])
						if outside(shares[i], n, 0, most) || *long && shares[i] > most {
							t.Errorf("%s effects, %v samples, p %v, ICC %v, %d cases: %.1f %% false verdicts", e.name, samples, p, icc,
								cases, 100*shares[i])
						}
					}
					t.Logf("%-7s %d/%-5d %-5v %-4v %6.4f", e.name, samples[0], samples[1], p, icc, shares)
				}
			}
		}
	}
	t.Logf("the most of all: %.4f in %d experiments each", worst, n)
}

// TestPowerOfPairs compares the test with Student's, where some cases have several replies and
// a change makes a true difference of 10 points: the table of the help page.
func TestPowerOfPairs(t *testing.T) {
	const p, shift = 0.8, 0.1
	n := repetitions(200, 10_000)
	better := effect{"better", func(rng *rand.Rand, p, icc float64) (float64, float64) {
		base := chanceOf(rng, p, icc)
		return base, base + (1-base)*shift/(1-p)
	}}
	t.Logf("%5s %7s %-4s %6s %9s", "cases", "samples", "ICC", "power", "Student's")
	for _, cases := range []int{20, 30, 50, 80} {
		for _, samples := range []int{3, 5, 10} {
			for _, icc := range []float64{0, 0.3} {
				rng := rand.New(rand.NewPCG(*seed, uint64(cases)))
				found, student := 0, 0
				for range n {
					d := differences(rng, better, cases, [2]int{samples, samples}, p, icc)
					found += btoi(stats.DifferenceTest(d) <= 0.05)
					mean, deviation := stat.MeanStdDev(d, nil)
					x := distuv.StudentsT{Nu: float64(cases - 1), Sigma: 1}
					student += btoi(2*x.Survival(math.Abs(mean)/deviation*math.Sqrt(float64(cases))) <= 0.05)
				}
				power := float64(found) / float64(n)
				t.Logf("%5d %7d %-4v %6.3f %9.3f", cases, samples, icc, power, float64(student)/float64(n))
				if cases == 50 && samples == 3 && icc == 0 && outside(power, n, 0.55, 1) {
					t.Errorf("50 cases of 3 replies find a difference of 10 points in %.1f %%, want 55 %%", 100*power)
				}
			}
		}
	}
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// moment is the chance that k replies to one case all succeed.
func moment(p, icc float64, k int) float64 {
	if icc == 0 {
		return math.Pow(p, float64(k))
	}
	more, m := (1-icc)/icc, 1.0
	for i := range k {
		m *= (p*more + float64(i)) / (more + float64(i))
	}
	return m
}

// coverage counts how often an interval holds the truth.
type coverage struct {
	held, n int
	truth   float64
	cases   int
}

func (c *coverage) add(held bool) {
	c.n++
	if held {
		c.held++
	}
}

func (c *coverage) share() float64 { return float64(c.held) / float64(c.n) }

// wrong says what range the share should have and has not. With at least ten
// cases that is 93 to 99 %, with fewer, 90 % or more. Where fewer than 1.5 cases
// can be expected to tell the truth from 0 or 1, there is no upper limit, since
// there may be none: see TestFewResults.
func (c *coverage) wrong() bool {
	low, high := 0.93, 0.99
	if c.cases < 10 {
		low, high = 0.9, 1
	}
	if off := min(c.truth, 1-c.truth) * float64(c.cases); off < 1.5 {
		high = 1
	}
	return outside(c.share(), c.n, low, high)
}

// TestCoverage: the intervals of rates, of pass@k and of pass^k, hold the truth
// as often as they should.
func TestCoverage(t *testing.T) {
	n := repetitions(60, 2000)
	sizes, settings := []int{3, 10, 20}, 0
	if *long {
		sizes = []int{3, 5, 9, 10, 20, 50, 100}
	}
	lowest, highest := 1.0, 0.0
	t.Logf("%5s %7s %-5s %-4s %-8s %7s %s", "cases", "samples", "p", "ICC", "what", "truth", "coverage")
	for _, cases := range sizes {
		for _, samples := range []int{1, 3, 5, 10} {
			for _, p := range []float64{0.5, 0.8, 0.95} {
				for _, icc := range []float64{0, 0.3, 0.8} {
					rng := rand.New(rand.NewPCG(*seed, uint64(cases*samples)))
					for _, what := range coverages(rng, n, cases, samples, p, icc) {
						settings++
						share := what.share()
						if cases >= 10 {
							lowest = min(lowest, share)
							if what.truth*float64(cases) >= 1.5 && (1-what.truth)*float64(cases) >= 1.5 {
								highest = max(highest, share)
							}
						}
						t.Logf("%5d %7d %-5v %-4v %-8s %7.4f %.4f", cases, samples, p, icc, what.name, what.truth, share)
						if what.wrong() {
							t.Errorf("%s of %d cases of %d replies, p %v, ICC %v: the interval holds %.4f in %.1f %% of %d experiments",
								what.name, cases, samples, p, icc, what.truth, 100*share, n)
						}
					}
				}
			}
		}
	}
	t.Logf("%d settings of %d experiments; with 10 cases or more %.4f to %.4f", settings, n, lowest, highest)
}

type named struct {
	coverage
	name string
	of   func(n, c int) stats.Cluster
}

func coverages(rng *rand.Rand, n, cases, samples int, p, icc float64) []*named {
	list := []*named{{
		coverage{truth: p, cases: cases},
		"rate",
		func(n, c int) stats.Cluster { return stats.Cluster{Sum: float64(c), N: n} },
	}}
	for _, k := range []int{2, 3, 5, 10} {
		if k > samples {
			break
		}
		name := string(rune('0' + k%10))
		if k == 10 {
			name = "10"
		}
		list = append(
			list,
			&named{coverage{truth: moment(p, icc, k), cases: cases}, "pass^" + name, func(n, c int) stats.Cluster {
				x, _ := stats.PassHatK(n, c, k)
				return stats.Cluster{Sum: x, N: 1}
			}},
			&named{coverage{truth: 1 - moment(1-p, icc, k), cases: cases}, "pass@" + name, func(n, c int) stats.Cluster {
				x, _ := stats.PassAtK(n, c, k)
				return stats.Cluster{Sum: x, N: 1}
			}},
		)
	}
	clusters := make([]stats.Cluster, cases)
	counts := make([]int, cases)
	for range n {
		for i := range counts {
			counts[i] = successes(rng, samples, chanceOf(rng, p, icc))
		}
		for _, what := range list {
			for i, c := range counts {
				clusters[i] = what.of(samples, c)
			}
			what.add(stats.Holds(clusters, 0.95, what.truth))
		}
	}
	return list
}

// TestCoverageOfMeans: likewise for means of what is as skewed as counts of
// tokens.
func TestCoverageOfMeans(t *testing.T) {
	n := repetitions(600, 20_000)
	t.Logf("%7s %7s %-4s %s", "sigma", "samples", "ICC", "3, 5, 9, 10, 20, 50, 100 cases")
	for _, sigma := range []float64{0.3, 0.5, 0.8} {
		for _, samples := range []int{1, 5} {
			for _, icc := range []float64{0, 0.5, 1} {
				if samples == 1 && icc > 0 {
					continue
				}
				var line []float64
				for _, cases := range []int{3, 5, 9, 10, 20, 50, 100} {
					rng := rand.New(rand.NewPCG(*seed, uint64(cases)))
					c := coverage{cases: cases, truth: math.Exp(sigma * sigma / 2)}
					for range n {
						clusters := make([]stats.Cluster, cases)
						for i := range clusters {
							clusters[i].N = samples
							own := rng.NormFloat64()
							for range samples {
								clusters[i].Sum += math.Exp(sigma * (math.Sqrt(icc)*own + math.Sqrt(1-icc)*rng.NormFloat64()))
							}
						}
						_, lo, hi := stats.MeanInterval(clusters, 0.95)
						c.add(lo <= c.truth && c.truth <= hi)
					}
					low, high := 0.93, 0.99
					if cases < 10 {
						low, high = 0.9, 1
					}
					line = append(line, c.share())
					if outside(c.share(), n, low, high) {
						t.Errorf("means of %d cases of %d values, sigma %v, ICC %v: %.1f %% coverage", cases, samples, sigma, icc,
							100*c.share())
					}
				}
				t.Logf("%7v %7d %-4v %.4f", sigma, samples, icc, line)
			}
		}
	}
}

// TestCoverageOfSingleReplies adds up, over every number of successes, the chance
// of those whose interval holds the rate.
func TestCoverageOfSingleReplies(t *testing.T) {
	lowest, over := 1.0, 0
	for _, n := range []int{10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 300, 500} {
		for _, p := range []float64{0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99} {
			covered, successes := 0.0, distuv.Binomial{N: float64(n), P: p}
			for k := range n + 1 {
				if weight := successes.Prob(float64(k)); weight > 1e-7 && stats.Holds(yesNo(k, n), 0.95, p) {
					covered += weight
				}
			}
			lowest = min(lowest, covered)
			if covered < 0.93 {
				t.Errorf("%d of rate %v: %.2f %%", n, p, 100*covered)
			}
			if covered > 0.99 {
				over++
				if (1-p)*float64(n) >= 3 {
					t.Errorf("%d of rate %v: %.2f %%, too much", n, p, 100*covered)
				}
			}
		}
	}
	t.Logf("at least %.4f; %d of %d above 99 %%, all of them with less than three failures to be expected", lowest, over,
		16*12)
}

// TestFewResults: why there is no upper limit where few failures are to be
// expected. Whatever the ends of an interval are, the numbers of successes whose
// interval holds the truth are neighbours, as long as more successes move no end
// down. Where no neighbours have a chance between 93 and 99 % together, no interval
// covers so.
func TestFewResults(t *testing.T) {
	for _, test := range []struct {
		failures float64 // to be expected
		want     bool
	}{{0.005, false}, {0.05, true}, {0.08, false}, {0.1, false}, {0.14, false}, {0.3, true}, {1, true}, {3, true}} {
		for _, n := range []int{10, 20, 50, 100} {
			results, found := distuv.Binomial{N: float64(n), P: 1 - test.failures/float64(n)}, false
			for least := range n + 1 {
				sum := 0.0
				for k := least; k <= n; k++ {
					sum += results.Prob(float64(k))
					found = found || 0.93 <= sum && sum <= 0.99
				}
			}
			if found != test.want {
				t.Errorf("%d cases, %v failures to be expected: neighbours that have 93 to 99 %%: %v", n, test.failures, found)
			}
		}
	}
}

// yesNo makes a cluster of each of n replies; k of them succeed.
func yesNo(k, n int) []stats.Cluster {
	list := make([]stats.Cluster, n)
	for i := range list {
		list[i].N = 1
		if i < k {
			list[i].Sum = 1
		}
	}
	return list
}

// TestPower simulates experiments with a difference that Detectable returns, and with
// the number of cases that Needed returns. In both, about 80 % of the experiments must
// find the difference, for every level and number of samples.
func TestPower(t *testing.T) {
	n := repetitions(150, 4000)
	t.Logf("%5s %7s %-5s %-4s %9s %10s %6s %9s %6s", "cases", "samples", "p", "ICC", "questions", "detectable", "found",
		"needed", "found")
	for _, cases := range []int{20, 60, 200} {
		for _, samples := range [][2]int{{1, 1}, {1, 10}, {5, 5}} {
			for _, icc := range []float64{0.3, 0.8} {
				for _, questions := range []int{1, 8} {
					testPower(t, n, cases, samples, icc, questions)
				}
			}
		}
	}
}

func testPower(t *testing.T, n, cases int, samples [2]int, icc float64, questions int) {
	t.Helper()
	const p, wanted = 0.6, 0.1
	rng := rand.New(rand.NewPCG(*seed, uint64(cases)))
	design := stats.Usual().Among(questions)
	better := func(shift float64) effect {
		return effect{"better", func(rng *rand.Rand, p, icc float64) (float64, float64) {
			base := chanceOf(rng, p, icc)
			return base, base + (1-base)*shift/(1-p) // of the failures so many turn round
		}}
	}
	binary := samples == [2]int{1, 1}
	// What is told rests on a sample, so the mean over some is taken; and on how
	// that varies, so the samples must have the difference that is told.
	const pilots = 20
	told := func(shift float64, of func(d []float64) float64) float64 {
		var sum float64
		for range pilots {
			sum += of(differences(rng, better(shift), cases, samples, p, icc))
		}
		return sum / pilots
	}
	detectable := wanted
	for range 3 {
		detectable = told(min(detectable, 1-p), func(d []float64) float64 {
			if binary {
				return stats.DetectableOfPairs(changed(d), cases, design)
			}
			return stats.DetectableMean(d, design)
		})
	}
	needed := told(wanted, func(d []float64) float64 {
		k, ok := stats.NeededCases(d, wanted, design)
		if binary {
			k, ok = stats.NeededForPairs(changed(d), cases, wanted, design)
		}
		if !ok {
			t.Fatal("no number of cases is enough")
		}
		return float64(k)
	})
	found := func(cases int, shift float64) float64 {
		hits := 0
		for range n {
			if stats.DifferenceTest(differences(rng, better(shift), cases, samples, p, icc)) <= design.Alpha {
				hits++
			}
		}
		return float64(hits) / float64(n)
	}
	byDetectable, byNeeded := -1.0, found(int(math.Ceil(needed)), wanted)
	if detectable < 0.9*(1-p) { // near 1−p all cases succeed, and they vary less than the samples
		byDetectable = found(cases, detectable)
	}
	t.Logf("%5d %2d/%-4d %-5v %-4v %9d %10.3f %6.3f %9.0f %6.3f", cases, samples[0], samples[1], p, icc, questions,
		detectable, byDetectable, needed, byNeeded)
	const low, high = 0.75, 0.9
	if byDetectable >= 0 && outside(byDetectable, n, low, high) {
		t.Errorf("%d cases of %v, ICC %v, %d questions: a difference of %.3f is told as detectable, and found in %.1f %%",
			cases, samples, icc, questions, detectable, 100*byDetectable)
	}
	if outside(byNeeded, n, low, high) {
		t.Errorf("%d cases of %v, ICC %v, %d questions: %.0f cases are told as needed, and find it in %.1f %%", cases,
			samples, icc, questions, needed, 100*byNeeded)
	}
}

func changed(d []float64) int {
	n := 0
	for _, x := range d {
		if x != 0 {
			n++
		}
	}
	return n
}
