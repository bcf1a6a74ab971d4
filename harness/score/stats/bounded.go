package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// kind counts the clusters with the same sum and size.
type kind struct{ sum, size, count float64 }

// kinds groups clusters, in an order that depends only on them.
func kinds(clusters []Cluster) []kind {
	sorted := filled(clusters)
	slices.SortFunc(sorted, func(a, b Cluster) int { return cmp.Or(cmp.Compare(a.N, b.N), cmp.Compare(a.Sum, b.Sum)) })
	var list []kind
	for i, c := range sorted {
		if i == 0 || c != sorted[i-1] {
			list = append(list, kind{c.Sum, float64(c.N), 0})
		}
		list[len(list)-1].count++
	}
	return list
}

func filled(clusters []Cluster) []Cluster {
	return slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
}

// weighted is the basis of exact inference on observations between two bounds, without
// further assumptions. With weights W that follow a Dirichlet distribution, the mean
//
//	M = Σ_c W_c·S_c / Σ_c W_c·N_c
//
// over the G clusters and one extra cluster is on the wrong side of the true mean with at
// most the chance of the level. The extra cluster has mean size and lies at a bound. It
// represents unseen cases, which formulas with the observed spread ignore. For yes/no
// results with one reply each, the ends are those by C. J. Clopper and E. S. Pearson. For
// differences of −1, 0 and 1 the test is McNemar's.
//
// Source: N. Gaffke, Three test statistics for a nonparametric one-sided
// hypothesis on the mean of a nonnegative variable, Math. Methods Statist. 14
// (2005) 451–467; E. Learned-Miller and P. S. Thomas, A new confidence interval
// for the mean of a bounded random variable, arXiv:1905.06208. The paper conjectures
// validity for every distribution and proves it for some.
// `go test ./harness/score/stats -run FalseVerdicts` simulates the relevant ones.
type weighted struct {
	kinds []kind
	size  float64 // mean size of the clusters
	count float64 // number of clusters
}

func weigh(clusters []Cluster) weighted {
	w := weighted{kinds: kinds(clusters)}
	for _, k := range w.kinds {
		w.size += k.size * k.count
		w.count += k.count
	}
	w.size /= w.count
	return w
}

// atMost returns P(M ≤ x) with one extra cluster, all at `more`.
func (w weighted) atMost(x, more float64) float64 {
	terms := make([]term, 1, len(w.kinds)+1)
	terms[0] = term{(more - x) * w.size, 1}
	for _, k := range w.kinds {
		if factor := k.sum - x*k.size; factor == terms[0].factor {
			terms[0].shape += k.count
		} else if factor != 0 {
			terms = append(terms, term{factor, k.count})
		}
	}
	return atMostZero(terms)
}

// boundary returns the x between lo and hi at which a rising chance reaches a level. A few
// secant steps on the scale of normal quantiles first enclose x. Bisection then skips the
// halves that these steps exclude.
func boundary(lo, hi, level float64, chance func(x float64) float64) float64 {
	const close = 1.0 / (1 << 26) // far above the effect of errors of chance on x
	under, over := lo, hi
	ask := func(x float64) float64 {
		p := chance(x)
		if p < level {
			under = max(under, x)
		} else {
			over = min(over, x)
		}
		return normalQuantile(min(max(p, 1e-15), 1-1e-15))
	}
	x, y, want := (lo+hi)/2, 0.0, normalQuantile(level)
	z, before := ask(x), 0.0
	for i := 0; i < 12 && over-under > 4*close; i++ {
		next := (under + over) / 2
		if straight := x + (want-z)*(x-y)/(z-before); i > 0 && straight > under && straight < over {
			next = straight
		}
		y, before = x, z
		if x = next; math.Abs(x-y) < close {
			ask(max(under, x-close))
			ask(min(over, x+close))
			break
		}
		z = ask(x)
	}
	lo, hi = halved(lo, hi, 40, func(x float64) bool { return x <= under || x < over && chance(x) < level })
	return (lo + hi) / 2
}

// halved narrows a range around the boundary to 2^−rounds of its width.
func halved(lo, hi float64, rounds int, below func(x float64) bool) (float64, float64) {
	for range rounds {
		if middle := (lo + hi) / 2; below(middle) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo, hi
}

// term is a summand of a sum of independent gamma variables: all clusters of one kind.
type term struct{ factor, shape float64 }

// atMostZero returns the chance that Q = Σ factor·Gamma(shape) ≤ 0. Two terms make a beta
// variable. For more, with the cumulant function K(s) = −Σ shape·log(1 − factor·s), the chance
// of the tail is the integral
//
//	P = 1/π · ∫ Re( e^K(s) / |s| ) dt,  s = a + it,  t = σ·sinh(u)
//
// along a line through the minimum a of K(s) − log|s|, where the integrand is a single peak
// of width σ. The trapezoidal rule over u needs 10 to 30 points for an error below 1e−9. The
// time is linear in the number of terms. If all terms are zero, the result is arbitrary.
//
// Source: H. E. Daniels, Tail probability approximations, Int. Stat. Rev. 55 (1987) 37–48, for
// the line; S. O. Rice, Efficient evaluation of integrals of analytic functions by the
// trapezoidal rule, Bell Syst. Tech. J. 52 (1973) 707–722, for the rule.
func atMostZero(terms []term) float64 {
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.factor == 0 })
	var mean, highest, lowest float64
	for _, t := range terms {
		mean += t.shape * t.factor
		highest, lowest = max(highest, t.factor), min(lowest, t.factor)
	}
	switch {
	case highest == 0 && lowest == 0:
		return 0.5
	case lowest == 0:
		return 0
	case highest == 0:
		return 1
	case len(terms) == 2:
		a, b := terms[0], terms[1]
		if a.factor < 0 {
			a, b = b, a
		}
		return mathext.RegIncBeta(a.shape, b.shape, b.factor/(b.factor-a.factor))
	}
	if mean <= 0 {
		return 1 - above(terms, highest)
	}
	for i := range terms {
		terms[i].factor = -terms[i].factor
	}
	return above(terms, -lowest)
}

// above returns P(Q > 0) for terms with the highest factor.
func above(terms []term, highest float64) float64 {
	at, curve := saddle(terms, 1/highest)
	size := 0.0
	for i, t := range terms {
		size -= t.shape * math.Log(1-t.factor*at)
		terms[i].factor = t.factor / (1 - t.factor*at)
	}
	const step, enough, most = 0.3, 1e-10, 200
	width := min(1/math.Sqrt(curve), at, 1/highest-at)
	sum, sinhStep, coshStep := 0.5, math.Sinh(step), math.Cosh(step)
	sinh, cosh := sinhStep, coshStep // of k·step
	for range most {
		value := peak(terms, at, width*sinh)
		if sum += real(value) * cosh; (math.Abs(real(value))+math.Abs(imag(value)))*cosh < enough {
			break
		}
		sinh, cosh = sinh*coshStep+cosh*sinhStep, cosh*coshStep+sinh*sinhStep
	}
	return min(1, max(0, sum*step*width*math.Exp(size)/(at*math.Pi)))
}

// peak returns the integrand at a distance t from the saddle point, as a share of its value
// there. The factors are relative to the saddle point.
func peak(terms []term, at, t float64) complex128 {
	product, angle, log := complex(1, t/at), 0.0, 0.0
	for _, x := range terms {
		if y := x.factor * t; x.shape == 1 {
			product *= complex(1, -y)
		} else {
			angle += x.shape * math.Atan(y)
			log -= x.shape / 2 * math.Log1p(y*y)
		}
	}
	if r := math.Abs(real(product)) + math.Abs(imag(product)); math.IsInf(r, 0) || math.IsNaN(r) {
		return 0
	}
	if log == 0 {
		return 1 / product
	}
	sin, cos := math.Sincos(angle)
	return complex(math.Exp(log), 0) * complex(cos, sin) / product
}

// saddle returns the minimum of K(s) − log(s) for s between 0 and an end, and its second
// derivative there. The function is convex.
func saddle(terms []term, end float64) (at, curve float64) {
	low, high := 0.0, end
	at = end / 2
	for range 100 {
		slope := -1 / at
		curve = 1 / (at * at)
		for _, t := range terms {
			y := t.factor / (1 - t.factor*at)
			slope += t.shape * y
			curve += t.shape * y * y
		}
		if slope > 0 {
			high = at
		} else {
			low = at
		}
		next := at - slope/curve
		if next <= low || next >= high {
			next = (low + high) / 2
		}
		done := math.Abs(next-at) < 1e-4*min(at, end-at)
		if at = next; done {
			break
		}
	}
	return at, curve
}
