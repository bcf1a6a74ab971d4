package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"replanbench/harness/document/collect"
)

// Cluster sums dependent observations, such as the scores of all replies to one plan. The
// methods of this package need only the sums.
type Cluster struct {
	Sum float64
	N   int // number of observations
}

// totals sums the non-empty clusters.
func totals(clusters []Cluster) (sum float64, n, filled int) {
	for _, c := range clusters {
		if c.N == 0 {
			continue
		}
		sum, n, filled = sum+c.Sum, n+c.N, filled+1
	}
	return sum, n, filled
}

// Mean returns the mean over all observations and its cluster-robust standard
// error
//
//	√( G/(G−1) · Σ_c (Σ_{i∈c} (x_i − mean))² ) / n
//
// for G clusters and n observations. Observations in a cluster can have any correlation.
// With fewer than two clusters the error is unknown: +Inf. The mean of nothing is NaN.
//
// Source: K.-Y. Liang and S. L. Zeger, Longitudinal data analysis using
// generalized linear models, Biometrika 73 (1986) 13–22, for a mean; for
// evaluations of language models E. Miller, Adding error bars to evals,
// arXiv:2411.00640, section 2.2. The factor G/(G−1) is the usual correction for
// few clusters.
func Mean(clusters []Cluster) (mean, se float64) {
	sum, n, filled := totals(clusters)
	if n == 0 {
		return math.NaN(), math.Inf(1)
	}
	mean = sum / float64(n)
	if filled < 2 {
		return mean, math.Inf(1)
	}
	var squares float64
	for _, c := range clusters {
		r := c.Sum - mean*float64(c.N)
		squares += r * r
	}
	g := float64(filled)
	return mean, math.Sqrt(squares*g/(g-1)) / float64(n)
}

// MeanInterval returns the mean and an interval for it. The interval is wide enough for
// skewed values such as counts of tokens: it contains two intervals. One is Student's,
// mean ± t·se with the cluster-robust standard error. The other is P. Hall's, which
// transforms t by the skewness γ of the clusters,
//
//	t ↦ 3/a · ( (1 + a·(t − a/6))^⅓ − 1 ),  a = 1.5·γ/√G
//
// The degrees of freedom are the number of clusters minus two. This and the factor 1.5 come
// from simulation (`go test ./harness/score/stats -run Coverage`), because few clusters
// underestimate skewness. With fewer than two clusters the interval is unbounded.
//
// Source: P. Hall, On the removal of skewness by transformation, J. R. Stat. Soc.
// B 54 (1992) 221–228.
func MeanInterval(clusters []Cluster, confidence float64) (mean, lo, hi float64) {
	mean, se := Mean(clusters)
	if math.IsInf(se, 1) {
		return mean, math.Inf(-1), math.Inf(1)
	}
	t := student(clusters).quantile(0.5 + confidence/2)
	a := bend(clusters)
	return mean, mean - se*max(t, bent(t, a)), mean - se*min(-t, bent(-t, a))
}

// MeanTest returns the two-sided p-value of the hypothesis that the mean is 0: 1 minus the
// confidence at which [MeanInterval] ends at 0. It is at least 2^(1−n), the p-value of the
// sign test for n nonzero clusters of one sign.
func MeanTest(clusters []Cluster) float64 {
	other := collect.Count(clusters, func(c Cluster) bool { return c.N > 0 && c.Sum != 0 })
	mean, se := Mean(clusters)
	if other == 0 || math.IsInf(se, 1) {
		return 1
	}
	least := math.Pow(2, 1-float64(other))
	if se == 0 {
		return least
	}
	seen, a := mean/se, bend(clusters)
	tail := student(clusters).survival
	p := 2 * max(tail(math.Abs(seen)), tail(math.Abs(unbent(seen, a))))
	return min(1, max(least, p))
}

// student returns Student's distribution for the number of clusters.
func student(clusters []Cluster) studentsT {
	_, _, filled := totals(clusters)
	return studentsT(max(1, filled-2))
}

// studentsT is Student's distribution with so many degrees of freedom.
type studentsT float64

// quantile returns the p-quantile, for p above one half.
func (nu studentsT) quantile(p float64) float64 {
	x := mathext.InvRegIncBeta(float64(nu)/2, 0.5, 2*(1-p))
	return math.Sqrt(float64(nu) * (1 - x) / x)
}

// survival returns the share of the distribution above a value.
func (nu studentsT) survival(t float64) float64 {
	tail := 0.5 * mathext.RegIncBeta(float64(nu)/2, 0.5, float64(nu)/(t*t+float64(nu)))
	if t < 0 {
		return 1 - tail
	}
	return tail
}

// bend returns the parameter a of P. Hall's transformation for the clusters.
func bend(clusters []Cluster) float64 {
	const more = 1.5
	sum, n, filled := totals(clusters)
	if filled < 3 {
		return 0
	}
	mean, g := sum/float64(n), float64(filled)
	var second, third float64
	for _, c := range clusters {
		r := c.Sum - mean*float64(c.N)
		second, third = second+r*r/g, third+r*r*r/g
	}
	if second == 0 {
		return 0
	}
	skewness := third / math.Pow(second, 1.5) * math.Sqrt(g*(g-1)) / (g - 2)
	return more * skewness / math.Sqrt(g)
}

func bent(t, a float64) float64 {
	if math.Abs(a) < 1e-6 { // the limit
		return t
	}
	return 3 / a * (math.Cbrt(1+a*(t-a/6)) - 1)
}

// unbent is the inverse of P. Hall's transformation.
func unbent(t, a float64) float64 { return t + a*t*t/3 + a*a*t*t*t/27 + a/6 }
