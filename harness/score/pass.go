package score

import (
	"math/rand/v2"

	"replanbench/harness/stats"
)

// PassK says what k replies to a case are worth together, over the cases of a
// group that have at least k requests.
type PassK struct {
	K     int      `json:"k"`
	Cases int      `json:"cases"`
	Any   Interval `json:"any"` // pass@k: at least one of them can be applied
	All   Interval `json:"all"` // pass^k: every one of them can
}

// Interval is an estimate with its 95 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// passes estimates pass@k and pass^k of applying for a few k. It needs the
// cases apart, and two cases with more than one request.
func (t *tally) passes(metric int) []PassK {
	if t.heaped {
		return nil
	}
	var list []PassK
	counts := t.clusters(metric)
	for _, k := range []int{1, 2, 3, 5, 10} {
		var anyOf, allOf []stats.Cluster
		for _, c := range counts {
			one, ok := stats.PassAtK(c.N, int(c.Sum), k)
			all, also := stats.PassHatK(c.N, int(c.Sum), k)
			if ok && also && c.N > 1 {
				anyOf, allOf = append(anyOf, stats.Cluster{Sum: one, N: 1}), append(allOf, stats.Cluster{Sum: all, N: 1})
			}
		}
		if len(anyOf) > 1 {
			list = append(list, PassK{k, len(anyOf), resampled(anyOf), resampled(allOf)})
		}
	}
	return list
}

// resampled estimates the mean of a value of each case, with an interval that
// stays between 0 and 1. Where all cases are equal there is nothing to resample,
// and the number of cases alone gives the interval.
func resampled(cases []stats.Cluster) Interval {
	const rounds = 1000
	mean, se := stats.Mean(cases)
	if se == 0 {
		_, low, high := stats.Rate(cases, confidence)
		return Interval{mean, low, high}
	}
	low, high := stats.Bootstrap(cases, confidence, rounds, rand.New(rand.NewPCG(uint64(len(cases)), rounds)))
	return Interval{mean, low, high}
}
