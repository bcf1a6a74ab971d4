package stats

import (
	"fmt"
	"math"
)

const (
	// farther says how much the one more cluster lies at the bound that is
	// farther off, and not at the nearer one. All of it is the exact interval,
	// which covers more than 99 % for few cases. Half of it is the mid-P one,
	// which falls to 92 % for rates near 0 and 1. This keeps above 93 % for 10 to
	// 500 cases and rates of 0.5 to 0.99; see TestCoverageOfSingleReplies.
	farther = 0.65
	// inward is how far the one more lies on the way from the bound to the cluster
	// that is nearest to it. At the bound itself the interval covers more than
	// 99 % for ten cases of ten replies that are alike; at that cluster, 91 %.
	inward = 0.55
	// deepest is how far that is at most from the bound: where ten cases of a few
	// replies have nothing near to it, there may yet be some at it, and farther in
	// the interval covers 92 %.
	deepest = 0.32
	// telling is how many clusters it takes for their own extremes to tell how
	// far off one more may be.
	telling = 10
)

// Rate returns the share of successes, or the mean of values between 0 and 1,
// with an interval that allows for clusters: the ends at which the mean M of
// [weighted] has the chances that are left outside. The one more cluster lies,
// with the weights 0.65 and 0.35, at the one bound or at the other. Where there
// are ten clusters or more, and none of them is at a bound, it lies at 0.55 of the
// way from there to the cluster that comes nearest, but no farther off than 0.32.
//
// More successes in clusters of the same sizes never make either end lower. That
// is why the ends are also bounded by those for clusters that are all full, or
// all empty, as if each were a single observation: that many clusters allow no
// more to be said, however many replies each of them holds.
//
// One cluster of several observations says nothing of others: the interval is
// all from 0 to 1.
//
// Source: as of [weighted]; for mid-P intervals H. O. Lancaster, Significance
// tests in discrete distributions, JASA 56 (1961) 223–234.
func Rate(clusters []Cluster, confidence float64) (rate, lo, hi float64) {
	return new(Rates).Rate(clusters, confidence)
}

// Rates computes rates one after the other, and each end of equal ones once: of many
// questions to the same cases several have the same answers, or the opposite ones.
type Rates struct{ ends map[string]float64 }

// Rate is the function [Rate].
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
	list := make([]Cluster, len(clusters))
	for i, c := range clusters {
		list[i] = Cluster{Sum: float64(c.N) - c.Sum, N: c.N}
	}
	return list
}

func (r *Rates) lowEnd(clusters []Cluster, confidence float64) float64 {
	w := weigh(clusters)
	key := fmt.Append(nil, confidence, w.kinds)
	end, known := r.ends[string(key)]
	if !known {
		if r.ends == nil {
			r.ends = map[string]float64{}
		}
		end = boundary(0, 1, (1-confidence)/2, w.chanceUpTo())
		r.ends[string(key)] = end
	}
	return end
}

// chanceUpTo returns the chance that goes with a rate as the interval's lower end.
func (w weighted) chanceUpTo() func(rate float64) float64 {
	full := w.full()
	least, most := w.range01()
	return func(rate float64) float64 {
		p := w.chance(rate, least, most)
		if least > 0 {
			p = max(p, full.chance(rate, 0, 1))
		}
		return p
	}
}

// chance is that of a mean M of no more than the rate, with the one more cluster
// under or over the others.
func (w weighted) chance(rate, under, over float64) float64 {
	return farther*w.atMost(rate, under) + (1-farther)*w.atMost(rate, over)
}

// range01 is where the one more cluster lies.
func (w weighted) range01() (least, most float64) {
	if w.count < telling {
		return 0, 1
	}
	least, most = 1, 0
	for _, k := range w.kinds {
		least, most = min(least, k.sum/k.size), max(most, k.sum/k.size)
	}
	return min(deepest, inward*least), 1 - min(deepest, inward*(1-most))
}

// full is the same with successes alone.
func (w weighted) full() weighted {
	full := w
	full.kinds = make([]kind, len(w.kinds))
	for i, k := range w.kinds {
		full.kinds[i] = kind{sum: k.size, size: k.size, count: k.count}
	}
	return full
}
