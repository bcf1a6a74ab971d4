package stats

import (
	"fmt"
	"math"

	"replanbench/harness/document/collect"
)

const (
	// farther is the share of the extra cluster at the farther bound. A share of 1 is the
	// exact interval, which covers more than 99 % for few cases. A share of 0.5 is the mid-P
	// interval, whose coverage falls to 92 % for rates near 0 and 1. This value covers more
	// than 93 % for 10 to 500 cases and rates of 0.5 to 0.99; see
	// TestCoverageOfSingleReplies.
	farther = 0.65
	// inward is the position of the extra cluster between the bound (0) and the nearest
	// cluster (1). For ten cases of ten equal replies, 0 covers more than 99 %, and 1
	// covers 91 %.
	inward = 0.55
	// deepest is the maximum distance of the extra cluster from the bound. Even if ten cases
	// of a few replies have no value near the bound, unseen cases can lie at the bound. With
	// a larger distance the interval covers 92 %.
	deepest = 0.32
	// enough is the minimum number of clusters whose extremes limit the extra cluster.
	enough = 10
)

// Rate returns the share of successes, or the mean of values between 0 and 1, with an
// interval that allows for clusters. At its ends the mean M of [weighted] has the chances
// outside the interval. The extra cluster lies at one bound with weight 0.65 and at the
// other with weight 0.35. With ten or more clusters, none at a bound, it lies at 0.55 of
// the way from the bound to the nearest cluster, but at most 0.32 from the bound.
//
// More successes in clusters of the same sizes never lower an end. Therefore the ends for
// all-full and all-empty clusters, with one observation each, limit the ends: that many
// clusters cannot support a narrower interval, for any number of replies.
//
// For one cluster of several observations the interval is [0, 1].
//
// Source: see [weighted]; for mid-P intervals H. O. Lancaster, Significance tests in
// discrete distributions, JASA 56 (1961) 223–234.
func Rate(clusters []Cluster, confidence float64) (rate, lo, hi float64) {
	return new(Rates).Rate(clusters, confidence)
}

// Rates computes rates and caches their ends, because several metrics of the same cases
// often have equal or opposite results. The zero value is ready to use.
type Rates struct{ ends map[string]float64 }

// Rate returns the same as the function [Rate].
func (r *Rates) Rate(clusters []Cluster, confidence float64) (rate, lo, hi float64) {
	sum, n, filled := totals(clusters)
	if n == 0 {
		return math.NaN(), 0, 1
	}
	rate = sum / float64(n)
	if filled == 1 && n > 1 {
		return rate, 0, 1
	}
	lo = r.lowEnd(clusters, confidence)
	hi = 1 - r.lowEnd(mirrored(clusters), confidence)
	return rate, min(lo, rate), max(hi, rate)
}

// mirrored swaps successes and failures.
func mirrored(clusters []Cluster) []Cluster {
	return collect.Map(clusters, func(c Cluster) Cluster { return Cluster{Sum: float64(c.N) - c.Sum, N: c.N} })
}

// lowEnd returns the lower end of the interval. With the extra cluster inside the bounds, the
// end for full clusters of the same sizes limits it.
func (r *Rates) lowEnd(clusters []Cluster, confidence float64) float64 {
	w := weigh(clusters)
	least, most := w.range01()
	key := func(w weighted, what string) string { return string(fmt.Append(nil, what, confidence, w.kinds)) }
	tail := (1 - confidence) / 2
	return r.cached(key(w, "end"), func() float64 {
		high, chance := 1.0, func(rate float64) float64 { return w.chance(rate, least, most) }
		if least > 0 {
			full := w.full()
			high = r.cached(key(full, "full"), func() float64 {
				return boundary(0, 1, tail, func(rate float64) float64 { return full.chance(rate, 0, 1) })
			})
			if chance(high) <= tail {
				return high
			}
		}
		return boundary(0, high, tail, chance)
	})
}

// cached computes an end once.
func (r *Rates) cached(key string, compute func() float64) float64 {
	end, known := r.ends[key]
	if !known {
		if r.ends == nil {
			r.ends = map[string]float64{}
		}
		end = compute()
		r.ends[key] = end
	}
	return end
}

// chance returns the chance that the mean M is at most the rate, with the extra cluster at
// under or over.
func (w weighted) chance(rate, under, over float64) float64 {
	return farther*w.atMost(rate, under) + (1-farther)*w.atMost(rate, over)
}

// range01 returns the positions of the extra cluster.
func (w weighted) range01() (least, most float64) {
	if w.count < enough {
		return 0, 1
	}
	least, most = 1, 0
	for _, k := range w.kinds {
		least, most = min(least, k.sum/k.size), max(most, k.sum/k.size)
	}
	return min(deepest, inward*least), 1 - min(deepest, inward*(1-most))
}

// full returns the same clusters with successes only.
func (w weighted) full() weighted {
	full := w
	full.kinds = make([]kind, len(w.kinds))
	for i, k := range w.kinds {
		full.kinds[i] = kind{sum: k.size, size: k.size, count: k.count}
	}
	return full
}

// Wilson returns the score interval for a rate of k successes in n independent trials: all
// rates p with |k/n − p| ≤ z·√(p(1−p)/n). Unlike the Wald interval it stays within 0 and 1
// and keeps its coverage near them. Without trials it is [0, 1].
//
// Source: E. B. Wilson, Probable inference, the law of succession, and
// statistical inference, JASA 22 (1927) 209–212.
func Wilson(k, n int, confidence float64) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	trials, z := float64(n), normalQuantile(0.5+confidence/2)
	p, z2 := float64(k)/trials, z*z
	mid := (p + z2/(2*trials)) / (1 + z2/trials)
	half := z / (1 + z2/trials) * math.Sqrt(p*(1-p)/trials+z2/(4*trials*trials))
	lo, hi = max(0, mid-half), min(1, mid+half)
	if k <= 0 {
		lo = 0 // exactly, not a rounding error above
	}
	if k >= n {
		hi = 1
	}
	return lo, hi
}

// PassAtK returns the unbiased estimate of the chance that at least one of k replies to a
// case succeeds, from c successes in n recorded replies:
//
//	1 − C(n−c, k) / C(n, k)
//
// ok is false if n < k or k < 1, because then no such estimate exists. For several cases
// take the mean.
//
// Source: M. Chen et al., Evaluating large language models trained on code,
// arXiv:2107.03374, equation 1.
func PassAtK(n, c, k int) (p float64, ok bool) {
	if k < 1 || n < k || c < 0 || c > n {
		return 0, false
	}
	return 1 - drawn(n-c, n, k), true
}

// PassHatK returns the unbiased estimate of the chance that all of k replies to a case
// succeed. It matters if the user cannot choose among replies:
//
//	C(c, k) / C(n, k)
//
// ok as in [PassAtK].
//
// Source: S. Yao et al., τ-bench, arXiv:2406.12045, section 4.
func PassHatK(n, c, k int) (p float64, ok bool) {
	if k < 1 || n < k || c < 0 || c > n {
		return 0, false
	}
	return drawn(c, n, k), true
}

// drawn returns C(m, k)/C(n, k) as a product that cannot overflow: the chance that k draws
// from n without replacement all come from m of them.
func drawn(m, n, k int) float64 {
	p := 1.0
	for i := range k {
		p *= max(0, float64(m-i)) / float64(n-i)
	}
	return p
}
