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
		t := term{k.sum - x*k.size, k.count}
		if i := slices.IndexFunc(terms, func(u term) bool { return u.factor == t.factor }); i >= 0 {
			terms[i].shape += t.shape
		} else {
			terms = append(terms, t)
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

// atMostZero returns the chance that Σ factor·Gamma(shape) ≤ 0. Two terms make
// a beta variable. More are inverted from their characteristic function
//
//	P(Q ≤ 0) = ½ − 1/π · Σ_k sin(θ(t_k))·ρ(t_k)/(k+½),  t_k = (k+½)·2π/L
//
// with θ(t) = Σ shape·arctan(factor·t) and ρ(t) = Π (1+factor²t²)^(−shape/2),
// whose error is at most the chance of |Q| > L. If all terms are zero, the result is
// arbitrary.
//
// Source: J. P. Imhof, Computing the distribution of quadratic forms in normal
// variables, Biometrika 48 (1961) 419–426; R. B. Davies, Numerical inversion of
// a characteristic function, Biometrika 60 (1973) 415–417.
func atMostZero(terms []term) float64 {
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.factor == 0 })
	up, down := 0, 0
	for _, t := range terms {
		if t.factor > 0 {
			up++
		} else {
			down++
		}
	}
	switch {
	case up == 0 && down == 0:
		return 0.5
	case down == 0:
		return 0
	case up == 0:
		return 1
	case len(terms) == 2:
		a, b := terms[0], terms[1]
		if a.factor < 0 {
			a, b = b, a
		}
		return mathext.RegIncBeta(a.shape, b.shape, b.factor/(b.factor-a.factor))
	}
	return inverted(terms)
}

func inverted(terms []term) float64 {
	var mean, variance, largest float64
	for _, t := range terms {
		mean += t.shape * t.factor
		variance += t.shape * t.factor * t.factor
		largest = max(largest, math.Abs(t.factor))
	}
	const enough, most = 1e-8, 20_000
	step := 2 * math.Pi / (math.Abs(mean) + 7*math.Sqrt(variance) + 20*largest)
	var sum float64
	for k := 0.5; k < most; k++ {
		at := k * step
		var angle, logSize float64
		for _, t := range terms {
			y := t.factor * at
			angle += t.shape * math.Atan(y)
			logSize -= t.shape / 2 * math.Log1p(y*y)
		}
		size := math.Exp(logSize) / k
		sum += math.Sin(angle) * size
		if size < enough {
			break
		}
	}
	return min(1, max(0, 0.5-sum/math.Pi))
}
