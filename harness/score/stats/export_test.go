package stats

import "gonum.org/v1/gonum/stat/distuv"

// Holds reports whether the interval of [Rate] holds a rate, without looking for
// its ends, which takes eighty times as long.
func Holds(clusters []Cluster, confidence, rate float64) bool {
	tail := (1 - confidence) / 2
	return weigh(clusters).chanceUpTo()(rate) >= tail && weigh(mirrored(clusters)).chanceUpTo()(1-rate) >= tail
}

// chanceUpTo returns the chance of a rate as the lower end of the interval.
func (w weighted) chanceUpTo() func(rate float64) float64 {
	least, most := w.range01()
	return func(rate float64) float64 {
		p := w.chance(rate, least, most)
		if least > 0 {
			p = max(p, w.full().chance(rate, 0, 1))
		}
		return p
	}
}

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
