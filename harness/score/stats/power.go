package stats

import "math"

// Design is the significance level and the power of a comparison.
type Design struct {
	Alpha float64 // two-sided chance of a false difference
	Power float64 // chance of detecting a true difference
}

// Usual returns the common design: level 5 %, power 80 %.
func Usual() Design { return Design{Alpha: 0.05, Power: 0.8} }

// Among returns the design for one of several tests that are corrected together. Its level
// is the level of [Holm] for the smallest p-value.
func (d Design) Among(questions int) Design {
	d.Alpha /= float64(max(1, questions))
	return d
}

// MinimumEffect returns the smallest true difference that a comparison with this standard
// error detects with the power of the design:
//
//	(z_{1−α/2} + z_{power}) · se
//
// Source: H. S. Bloom, Minimum detectable effects, Evaluation Review 19 (1995)
// 547–556.
func MinimumEffect(se float64, d Design) float64 {
	return (normalQuantile(1-d.Alpha/2) + normalQuantile(d.Power)) * se
}

// NeededClusters returns how many clusters (cases, pairs of cases) detect a difference, if g
// clusters have this standard error. The error decreases with the root of their number. ok
// is false for a difference of 0 or an unknown error.
func NeededClusters(g int, se, difference float64, d Design) (n int, ok bool) {
	if difference == 0 || se <= 0 || math.IsInf(se, 0) || math.IsNaN(se) || math.IsNaN(difference) {
		return 0, false
	}
	ratio := MinimumEffect(se, d) / math.Abs(difference)
	return whole(float64(g) * ratio * ratio)
}

// NeededPairs returns how many pairs of yes/no results McNemar's test needs to detect that a
// share `worse` of the cases changes from yes to no and a share `better` from no to yes.
// With ψ = worse + better and δ = better − worse
//
//	n = ( z_{1−α/2}·√ψ + z_{power}·√(ψ − δ²) )² / δ² + 1/δ
//
// The last summand is the continuity correction of the exact test. ok is false if δ is 0,
// because no number of pairs suffices.
//
// Source: R. J. Connor, Sample size for testing differences in proportions for
// the paired-sample design, Biometrics 43 (1987) 207–211. The correction is from J. L.
// Fleiss, A. Tytun and H. K. Ury, A simple approximation for calculating sample sizes for
// comparing independent proportions, Biometrics 36 (1980) 343–346, applied to pairs.
func NeededPairs(worse, better float64, d Design) (n int, ok bool) {
	psi, delta := worse+better, math.Abs(better-worse)
	if delta == 0 || math.IsNaN(delta) {
		return 0, false
	}
	root := normalQuantile(1-d.Alpha/2)*math.Sqrt(psi) + normalQuantile(d.Power)*math.Sqrt(max(0, psi-delta*delta))
	return whole(root*root/(delta*delta) + 1/delta)
}

// NeededCases returns how many cases [DifferenceTest] needs to detect a mean difference. The
// differences of the cases vary like the given ones; their mean does not matter. ok is
// false if no number of cases suffices.
func NeededCases(differences []float64, difference float64, d Design) (n int, ok bool) {
	if len(differences) == 0 || math.IsNaN(difference) || difference == 0 {
		return 0, false
	}
	s := newSpread(differences)
	enough := func(n float64) bool { return s.shows(n, math.Abs(difference), d) }
	high := 1.0
	for ; !enough(high); high *= 2 {
		if high > maxCases {
			return 0, false
		}
	}
	for low := high / 2; high-low > max(0.5, high/1000); {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return whole(high)
}

// DetectableMean returns the smallest true mean difference that [DifferenceTest] detects
// with as many cases as the given differences, and with their spread.
func DetectableMean(differences []float64, d Design) float64 {
	if len(differences) == 0 {
		return 1
	}
	s, n := newSpread(differences), float64(len(differences))
	_, high := halved(0, 1, 30, func(x float64) bool { return !s.shows(n, x, d) })
	return high
}

// spread describes how differences vary around their mean.
type spread struct {
	kinds     []kind
	mean      float64
	deviation float64
	count     float64
	exact     bool // all differences are −1, 0 or 1
}

func newSpread(differences []float64) spread {
	clusters := singles(differences)
	mean, _ := Mean(clusters)
	s := spread{kinds: kinds(clusters), mean: mean, count: float64(len(differences))}
	s.exact = weighted{kinds: s.kinds}.isExact()
	for _, k := range s.kinds {
		s.deviation += k.count * (k.sum - mean) * (k.sum - mean)
	}
	s.deviation = math.Sqrt(s.deviation / max(1, s.count-1))
	return s
}

// shows reports whether so many cases detect a difference with the power of the design. It
// tests the low quantile of the mean that the power leaves.
func (s spread) shows(cases, difference float64, d Design) bool {
	mean := difference - normalQuantile(d.Power)*s.deviation/math.Sqrt(cases)
	if mean <= 0 {
		return false
	}
	w := weighted{size: 1, count: cases}
	for _, k := range s.kinds {
		w.kinds = append(w.kinds, kind{sum: k.sum - s.mean + mean, size: 1, count: k.count * cases / s.count})
	}
	return 2*pairedOf(w, s.exact).upTo(0) <= d.Alpha
}

// maxCases is the largest number of cases that the functions recommend.
const maxCases = 1e12

func whole(x float64) (int, bool) {
	if x > maxCases {
		return 0, false
	}
	return int(math.Ceil(x - 1e-9)), true
}

// NeededForPairs is [NeededPairs] for a difference of rates and the observed number of
// changed pairs. It uses the observed share of changes, but at least the difference.
func NeededForPairs(changed, pairs int, difference float64, d Design) (n int, ok bool) {
	share := max(float64(changed)/float64(pairs), difference)
	return NeededPairs((share-difference)/2, (share+difference)/2, d)
}

// DetectableOfPairs returns the smallest true difference for which so many pairs
// are the number from [NeededForPairs]; 1 if it is 0.
func DetectableOfPairs(changed, pairs int, d Design) float64 {
	_, high := halved(0, 1, 30, func(x float64) bool {
		n, ok := NeededForPairs(changed, pairs, x, d)
		return !ok || n > pairs
	})
	return high
}
