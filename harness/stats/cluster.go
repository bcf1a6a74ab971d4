package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Cluster sums up the observations that belong together, such as the scores of
// all replies to one plan. Sums are all that the methods here need of them.
type Cluster struct {
	Sum float64
	N   int // how many observations
}

// totals adds the clusters up and leaves out empty ones.
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
// for G clusters and n observations. Within a cluster anything may be
// correlated. With fewer than two clusters the error is unknown: +Inf. The mean
// of nothing is NaN.
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

// MeanInterval returns the mean with the interval mean ± t·se, where se is the
// cluster-robust standard error and t the quantile of Student's distribution
// with one degree of freedom less than there are clusters. With fewer than two
// clusters the interval is unbounded.
func MeanInterval(clusters []Cluster, confidence float64) (mean, lo, hi float64) {
	mean, se := Mean(clusters)
	if math.IsInf(se, 1) {
		return mean, math.Inf(-1), math.Inf(1)
	}
	_, _, filled := totals(clusters)
	half := studentQuantile(confidence, filled-1) * se
	return mean, mean - half, mean + half
}

func studentQuantile(confidence float64, df int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(0.5 + confidence/2)
}

// Rate returns the share of successes and an interval for it that allows for
// clusters, whose sums count successes. Where every cluster holds one
// observation it is [Wilson]'s. Elsewhere it is Wilson's for the effective
// sample size
//
//	n* = n / deff · (z/t)²,  deff = (cluster-robust se)² / (p(1−p)/n)
//
// never above n, with t of G−1 degrees of freedom. Where all observations are
// equal the design effect cannot be estimated, and the clusters alone count.
// One cluster says nothing of others: the interval is all from 0 to 1.
//
// Source: E. L. Korn and B. I. Graubard, Confidence intervals for proportions
// with small expected number of positive counts estimated from survey data,
// Survey Methodology 24 (1998) 193–201 (the effective size); N. Dean and
// M. Pagano, Evaluating confidence interval methods for binomial proportions in
// clustered surveys, J. Surv. Stat. Methodol. 3 (2015) 484–503 (with Wilson).
func Rate(clusters []Cluster, confidence float64) (rate, lo, hi float64) {
	sum, n, filled := totals(clusters)
	if n == 0 {
		return math.NaN(), 0, 1
	}
	rate, z := sum/float64(n), twoSided(confidence)
	if n == filled {
		lo, hi = wilson(sum, float64(n), z)
		return rate, lo, hi
	}
	if filled < 2 {
		return rate, 0, 1
	}
	effective := float64(filled)
	if variance := rate * (1 - rate) / float64(n); variance > 0 {
		_, se := Mean(clusters)
		effective = float64(n)
		if deff := se * se / variance; deff > 1 {
			effective /= deff
		}
	}
	effective *= math.Pow(z/studentQuantile(confidence, filled-1), 2)
	lo, hi = wilson(rate*effective, effective, z)
	return rate, lo, hi
}

// Bootstrap returns the percentile interval of the mean over rounds resamples,
// each of which draws as many clusters as there are, with replacement, and
// takes them whole. Drawing single observations instead would take replies to
// one plan for independent ones.
//
// Source: A. C. Davison and D. V. Hinkley, Bootstrap methods and their
// application (1997), section 3.8; B. Efron, Bootstrap methods, Ann. Statist. 7
// (1979) 1–26 (percentile).
func Bootstrap(clusters []Cluster, confidence float64, rounds int, rng *rand.Rand) (lo, hi float64) {
	filled := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
	if len(filled) < 2 || rounds < 1 {
		return math.Inf(-1), math.Inf(1)
	}
	means := make([]float64, rounds)
	for i := range means {
		var drawn Cluster
		for range filled {
			c := filled[rng.IntN(len(filled))]
			drawn.Sum += c.Sum
			drawn.N += c.N
		}
		means[i] = drawn.Sum / float64(drawn.N)
	}
	slices.Sort(means)
	tail := (1 - confidence) / 2
	return stat.Quantile(tail, stat.Empirical, means, nil), stat.Quantile(1-tail, stat.Empirical, means, nil)
}
