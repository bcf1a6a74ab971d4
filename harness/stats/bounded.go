package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// kind is how many clusters have the same sum and size.
type kind struct{ sum, size, count float64 }

// kinds groups clusters, in an order that depends on them alone.
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

// weighted is the basis of exact statements on observations between two bounds,
// whatever else they are. With weights W that follow a Dirichlet distribution,
// the mean
//
//	M = Σ_c W_c·S_c / Σ_c W_c·N_c
//
// over the G clusters and one more, of mean size, that lies at a bound, is on the
// far side of the true mean no oftener than a level says. The one more stands for
// what could be out there and was not seen: it is what a formula with the
// observed spread lacks where the cases that matter are rare. For yes and no, one
// reply each, that gives the ends of C. J. Clopper and E. S. Pearson, and for
// differences of −1, 0 and 1 McNemar's test.
//
// Source: N. Gaffke, Three test statistics for a nonparametric one-sided
// hypothesis on the mean of a nonnegative variable, Math. Methods Statist. 14
// (2005) 451–467; E. Learned-Miller and P. S. Thomas, A new confidence interval
// for the mean of a bounded random variable, arXiv:1905.06208. That it holds for
// every distribution is conjectured there and proven for some;
// `go test ./harness/stats -run FalseVerdicts` looks at those that matter here.
type weighted struct {
	kinds []kind
	size  float64 // mean of the clusters
	count float64 // of the clusters
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

// atMost returns P(M ≤ x) with one more cluster, all of which is at `more`.
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

// boundary returns where between lo and hi a chance that rises from there to here
// reaches a level. It halves the range, but does not ask where that is already known:
// chances that are asked for cleverly first, along a straight line in terms of the
// normal distribution, enclose the place closely after a few of them.
func boundary(lo, hi, level float64, chance func(x float64) float64) float64 {
	const close = 1.0 / (1 << 26) // far more than the error of chances moves the place
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

// halved narrows a range round the boundary to 2^−rounds of it.
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

// term is one part of a sum of independent gamma variables: all clusters of one
// kind together.
type term struct{ factor, shape float64 }

// atMostZero returns the chance that Σ factor·Gamma(shape) ≤ 0. Two terms make
// a beta variable. More are inverted from their characteristic function
//
//	P(Q ≤ 0) = ½ − 1/π · Σ_k sin(θ(t_k))·ρ(t_k)/(k+½),  t_k = (k+½)·2π/L
//
// with θ(t) = Σ shape·arctan(factor·t) and ρ(t) = Π (1+factor²t²)^(−shape/2),
// whose error is no more than the chance of |Q| > L. Where all is zero, either
// side is as good.
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
