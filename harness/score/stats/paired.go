package stats

import (
	"cmp"
	"math"
	"slices"
)

// DifferenceTest returns the two-sided p-value of the hypothesis that the mean of
// differences between −1 and 1, one per case, is 0. It is twice the chance of [weighted],
// with the extra cluster at the bound that favours the hypothesis. For differences of −1,
// 0 and 1 it is McNemar's test.
//
// Several replies to one case count as one mean difference. Cases can have different
// numbers of replies on the two sides, and skewed distributions. Some cases can become
// better and others worse without a change of the mean. Tests that flip signs or swap
// replies within a case test another hypothesis: that no case differs. If so few cases
// changed that one more could reverse the mean, p is large.
func DifferenceTest(differences []float64) float64 {
	w, ok := weighDifferences(differences)
	if !ok {
		return 1
	}
	return min(1, 2*min(w.atMost(0, -1), 1-w.atMost(0, 1)))
}

// DifferenceInterval returns the interval of [DifferenceTest]: the means with a p-value
// above 1−confidence. It lies within −1 and 1. Without differences it is [−1, 1].
func DifferenceInterval(differences []float64, confidence float64) (lo, hi float64) {
	w, ok := weighDifferences(differences)
	if !ok {
		return -1, 1
	}
	tail := (1 - confidence) / 2
	lo = boundary(-1, 1, tail, func(x float64) float64 { return w.atMost(x, -1) })
	hi = boundary(-1, 1, 1-tail, func(x float64) float64 { return w.atMost(x, 1) })
	mean, _ := Mean(singles(differences))
	return min(lo, mean), max(hi, mean)
}

// weighDifferences makes a cluster of each difference; ok is false without differences.
func weighDifferences(differences []float64) (w weighted, ok bool) {
	if len(differences) == 0 {
		return w, false
	}
	return weigh(singles(differences)), true
}

// singles returns a cluster for each value.
func singles(values []float64) []Cluster {
	clusters := make([]Cluster, len(values))
	for i, v := range values {
		clusters[i] = Cluster{Sum: v, N: 1}
	}
	return clusters
}

// Holm corrects p-values for multiple tests. If one rejects all hypotheses with a corrected
// p-value below α, the chance of any false rejection is at most α, for any dependence. It
// keeps the order, and keeps NaN for hypotheses that are not tested.
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
