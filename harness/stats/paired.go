package stats

import (
	"cmp"
	"math"
	"slices"
)

// DifferenceTest returns the two-sided p-value of the hypothesis that the mean
// of differences between −1 and 1, one per case, is 0: twice the chance of
// [weighted], with the one more at the bound that speaks for the hypothesis. For
// differences of −1, 0 and 1 it is McNemar's.
//
// Several replies to one case go in as one mean difference. Neither need the
// cases have equally many replies on both sides, nor need they have a
// distribution with equal tails, nor must a change be alike for all: cases may
// become better and others worse, as long as the mean does not move. Signs that
// are flipped, or replies that are exchanged within a case, would test another
// hypothesis, that no case differs, and take any of that for a difference of the
// mean. Where so few cases changed that one more could turn the mean round, p is
// large whatever they say.
func DifferenceTest(differences []float64) float64 {
	w, ok := weighDifferences(differences)
	if !ok {
		return 1
	}
	return min(1, 2*min(w.atMost(0, -1), 1-w.atMost(0, 1)))
}

// DifferenceInterval returns the interval that goes with [DifferenceTest]: the
// means at which that would have a p above 1−confidence. It lies within −1 and
// 1; without a difference it is all of that.
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

// weighDifferences makes a cluster of each difference; ok is false where there
// is none.
func weighDifferences(differences []float64) (w weighted, ok bool) {
	if len(differences) == 0 {
		return w, false
	}
	return weigh(singles(differences)), true
}

// singles makes each value a cluster of its own.
func singles(values []float64) []Cluster {
	clusters := make([]Cluster, len(values))
	for i, v := range values {
		clusters[i] = Cluster{Sum: v, N: 1}
	}
	return clusters
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
