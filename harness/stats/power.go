package stats

import "math"

// Design says how sure a comparison is meant to be.
type Design struct {
	Alpha float64 // two-sided chance of seeing a difference where there is none
	Power float64 // chance of seeing the difference where there is one
}

// Usual is the design that most fields take for granted: 5 % and 80 %.
func Usual() Design { return Design{Alpha: 0.05, Power: 0.8} }

// Among is the design for one of several questions that are corrected together:
// its own level is what [Holm] asks of the smallest p-value.
func (d Design) Among(questions int) Design {
	d.Alpha /= float64(max(1, questions))
	return d
}

// MinimumEffect returns the smallest true difference that a comparison with
// that standard error would find with the design's power:
//
//	(z_{1−α/2} + z_{power}) · se
//
// Source: H. S. Bloom, Minimum detectable effects, Evaluation Review 19 (1995)
// 547–556.
func MinimumEffect(se float64, d Design) float64 {
	return (normalQuantile(1-d.Alpha/2) + normalQuantile(d.Power)) * se
}

// NeededClusters returns how many clusters (cases, pairs of cases) it takes to
// find a difference, if g clusters gave that standard error, since the error
// falls with the root of their number. ok is false where nothing can be said: no
// difference, or no error known.
func NeededClusters(g int, se, difference float64, d Design) (n int, ok bool) {
	if difference == 0 || se <= 0 || math.IsInf(se, 0) || math.IsNaN(se) || math.IsNaN(difference) {
		return 0, false
	}
	ratio := MinimumEffect(se, d) / math.Abs(difference)
	return whole(float64(g) * ratio * ratio)
}

// NeededPairs returns how many pairs of yes/no results it takes for McNemar's
// test to find that a share `worse` of the cases goes from yes to no and a share
// `better` from no to yes. With ψ = worse + better and δ = better − worse
//
//	n = ( z_{1−α/2}·√ψ + z_{power}·√(ψ − δ²) )² / δ² + 1/δ
//
// The last part is what the exact test takes beyond the one without a correction
// for continuity. ok is false where δ is 0: no number of pairs would do.
//
// Source: R. J. Connor, Sample size for testing differences in proportions for
// the paired-sample design, Biometrics 43 (1987) 207–211; the correction is that
// of J. L. Fleiss, A. Tytun and H. K. Ury, A simple approximation for calculating
// sample sizes for comparing independent proportions, Biometrics 36 (1980)
// 343–346, for pairs.
func NeededPairs(worse, better float64, d Design) (n int, ok bool) {
	psi, delta := worse+better, math.Abs(better-worse)
	if delta == 0 || math.IsNaN(delta) {
		return 0, false
	}
	root := normalQuantile(1-d.Alpha/2)*math.Sqrt(psi) + normalQuantile(d.Power)*math.Sqrt(max(0, psi-delta*delta))
	return whole(root*root/(delta*delta) + 1/delta)
}

// NeededCases returns how many cases it takes for [DifferenceTest] to find a
// mean difference, where the differences of the cases vary as those given do,
// whatever their mean. ok is false where no number of cases would do.
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

// DetectableMean returns the smallest true mean difference that [DifferenceTest]
// would find with as many cases as there are differences, which vary as these do.
func DetectableMean(differences []float64, d Design) float64 {
	if len(differences) == 0 {
		return 1
	}
	s, n := newSpread(differences), float64(len(differences))
	_, high := halved(0, 1, 30, func(x float64) bool { return !s.shows(n, x, d) })
	return high
}

// spread is how differences vary about their mean.
type spread struct {
	kinds     []kind
	mean      float64
	deviation float64
	count     float64
}

func newSpread(differences []float64) spread {
	clusters := singles(differences)
	mean, _ := Mean(clusters)
	s := spread{kinds: kinds(clusters), mean: mean, count: float64(len(differences))}
	for _, k := range s.kinds {
		s.deviation += k.count * (k.sum - mean) * (k.sum - mean)
	}
	s.deviation = math.Sqrt(s.deviation / max(1, s.count-1))
	return s
}

// shows reports whether so many cases would show a difference: whether the test
// finds even the mean that, with the design's power, is not fallen short of.
func (s spread) shows(cases, difference float64, d Design) bool {
	mean := difference - normalQuantile(d.Power)*s.deviation/math.Sqrt(cases)
	if mean <= 0 {
		return false
	}
	w := weighted{size: 1, count: cases}
	for _, k := range s.kinds {
		w.kinds = append(w.kinds, kind{sum: k.sum - s.mean + mean, size: 1, count: k.count * cases / s.count})
	}
	return 2*w.atMost(0, -1) <= d.Alpha
}

// maxCases is where "more cases" stops being an answer.
const maxCases = 1e12

func whole(x float64) (int, bool) {
	if x > maxCases {
		return 0, false
	}
	return int(math.Ceil(x - 1e-9)), true
}

// NeededForPairs is [NeededPairs] for a difference of rates, where so many of the
// pairs seen had changed: that share is taken as it is, but not below what the
// difference needs by itself.
func NeededForPairs(changed, pairs int, difference float64, d Design) (n int, ok bool) {
	share := max(float64(changed)/float64(pairs), difference)
	return NeededPairs((share-difference)/2, (share+difference)/2, d)
}

// DetectableOfPairs returns the smallest true difference for which so many pairs
// are as many as [NeededForPairs] tells; 1 where none is.
func DetectableOfPairs(changed, pairs int, d Design) float64 {
	_, high := halved(0, 1, 30, func(x float64) bool {
		n, ok := NeededForPairs(changed, pairs, x, d)
		return !ok || n > pairs
	})
	return high
}
