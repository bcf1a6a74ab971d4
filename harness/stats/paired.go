package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// McNemar returns the exact two-sided p-value for pairs of yes/no results on
// the same cases, where b cases went from yes to no and c from no to yes. Cases
// that did not change say nothing. Were both directions as likely, the smaller
// count would follow the binomial distribution with n = b+c and ½:
//
//	p = min(1, 2 · P(X ≤ min(b, c)))
//
// Source: Q. McNemar, Note on the sampling error of the difference between
// correlated proportions or percentages, Psychometrika 12 (1947) 153–157; the
// exact form is the sign test.
func McNemar(b, c int) float64 {
	if b == c {
		return 1
	}
	x := distuv.Binomial{N: float64(b + c), P: 0.5}
	return min(1, 2*x.CDF(float64(min(b, c))))
}

// PairedDifference returns the interval for the difference of two rates over n
// pairs of yes/no results, of which b went from yes to no and c from no to yes.
// One pair of either kind is added to what was seen:
//
//	p_b = (b+1)/(n+2), p_c = (c+1)/(n+2),
//	p_c − p_b ± z · √( (p_b + p_c − (p_c − p_b)²) / (n+2) )
//
// so that, unlike the textbook interval, it is not empty where nothing changed,
// and stays honest for few pairs. It lies within −1 and 1; with no pair it is
// all of that.
//
// Source: D. G. Bonett and R. M. Price, Adjusted Wald confidence interval for a
// difference of binomial proportions based on paired data, J. Educ. Behav.
// Stat. 37 (2012) 479–488.
func PairedDifference(b, c, n int, confidence float64) (lo, hi float64) {
	if n < 1 {
		return -1, 1
	}
	m := float64(n + 2)
	worse, better := float64(b+1)/m, float64(c+1)/m
	middle := better - worse
	half := twoSided(confidence) * math.Sqrt((worse+better-middle*middle)/m)
	return max(-1, middle-half), min(1, middle+half)
}

// maxExact is how many differences are enumerated: 2^16 sign patterns.
const maxExact = 16

// Permutation returns the two-sided p-value of the hypothesis that paired
// differences, one per case, are as likely to have either sign: the share of
// the sign patterns whose sum is at least as far from 0 as the one seen. Up to
// 16 differences other than 0 are enumerated; for more, rounds patterns are
// drawn, and the one seen counts among them, so that p is never 0.
//
// Several replies to one case go in as one mean difference, which is why the
// test needs no further care for clusters.
//
// Source: R. A. Fisher, The design of experiments (1935), section 21; B. Phipson
// and G. K. Smyth, Permutation p-values should never be zero, Stat. Appl. Genet.
// Mol. Biol. 9 (2010), article 39.
func Permutation(differences []float64, rounds int, rng *rand.Rand) float64 {
	d := slices.DeleteFunc(slices.Clone(differences), func(x float64) bool { return x == 0 })
	var seen, size float64
	for _, x := range d {
		seen += x
		size += math.Abs(x)
	}
	limit := math.Abs(seen) - 1e-12*size // sums of equal parts differ by rounding
	if len(d) <= maxExact {
		return enumerate(d, limit)
	}
	extreme := 1
	for range rounds {
		if math.Abs(flipped(d, rng)) >= limit {
			extreme++
		}
	}
	return float64(extreme) / float64(rounds+1)
}

// enumerate returns the share of all sign patterns with a sum of limit or more.
func enumerate(d []float64, limit float64) float64 {
	extreme, all := 0, 1<<len(d)
	for pattern := range all {
		var sum float64
		for i, x := range d {
			if pattern>>i&1 == 1 {
				x = -x
			}
			sum += x
		}
		if math.Abs(sum) >= limit {
			extreme++
		}
	}
	return float64(extreme) / float64(all)
}

// flipped returns the sum under random signs, 64 of them a draw.
func flipped(d []float64, rng *rand.Rand) float64 {
	var sum float64
	var bits uint64
	for i, x := range d {
		if i%64 == 0 {
			bits = rng.Uint64()
		}
		if bits&1 == 1 {
			x = -x
		}
		bits >>= 1
		sum += x
	}
	return sum
}

// Holm corrects p-values for having been asked together: rejecting what is
// below α afterwards makes even one false rejection among all of them no more
// likely than α, however they depend on each other. The order stays as given;
// NaN stands for a question that was not asked, and stays.
//
//	adjusted p_(i) = max over j ≤ i of min(1, (m−j+1) · p_(j))
//
// Source: S. Holm, A simple sequentially rejective multiple test procedure,
// Scand. J. Statist. 6 (1979) 65–70.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var order []int
	for i, x := range p {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, float64(len(order)-rank)*p[i]))
		adjusted[i] = highest
	}
	return adjusted
}
