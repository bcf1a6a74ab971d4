package stats

import "math"

// Design says how sure a comparison is meant to be.
type Design struct {
	Alpha float64 // two-sided chance of seeing a difference where there is none
	Power float64 // chance of seeing the difference where there is one
}

// Usual is the design that most fields take for granted: 5 % and 80 %.
func Usual() Design { return Design{Alpha: 0.05, Power: 0.8} }

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
//	n = ( z_{1−α/2}·√ψ + z_{power}·√(ψ − δ²) )² / δ²
//
// ok is false where δ is 0: no number of pairs would do.
//
// Source: R. J. Connor, Sample size for testing differences in proportions for
// the paired-sample design, Biometrics 43 (1987) 207–211.
func NeededPairs(worse, better float64, d Design) (n int, ok bool) {
	psi, delta := worse+better, better-worse
	if delta == 0 || math.IsNaN(delta) {
		return 0, false
	}
	root := normalQuantile(1-d.Alpha/2)*math.Sqrt(psi) + normalQuantile(d.Power)*math.Sqrt(max(0, psi-delta*delta))
	return whole(root * root / (delta * delta))
}

// maxCases is where "more cases" stops being an answer.
const maxCases = 1e12

func whole(x float64) (int, bool) {
	if x > maxCases {
		return 0, false
	}
	return int(math.Ceil(x - 1e-9)), true
}
