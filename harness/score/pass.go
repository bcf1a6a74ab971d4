package score

import (
	"maps"
	"slices"

	"replanbench/corpora"
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

// passes estimates pass@k and pass^k of applying for every k up to the number of
// requests that cases have. It needs the cases apart, and two cases with more
// than one request. The calls of a session are no repetitions.
func (t *tally) passes(metric int) []PassK {
	if t.Heaped || slices.ContainsFunc(slices.Collect(maps.Values(t.Names)), corpora.IsSession) {
		return nil
	}
	counts, most := t.clusters(metric), 0
	for _, c := range counts {
		most = max(most, c.N)
	}
	var list []PassK
	for k := 1; k <= most; k++ {
		var anyOf, allOf []stats.Cluster
		for _, c := range counts {
			one, ok := stats.PassAtK(c.N, int(c.Sum), k)
			all, also := stats.PassHatK(c.N, int(c.Sum), k)
			if ok && also && c.N > 1 {
				anyOf, allOf = append(anyOf, stats.Cluster{Sum: one, N: 1}), append(allOf, stats.Cluster{Sum: all, N: 1})
			}
		}
		if len(anyOf) > 1 {
			list = append(list, PassK{K: k, Cases: len(anyOf), Any: estimated(anyOf), All: estimated(allOf)})
		}
	}
	return list
}

// estimated is the mean of a value of each case.
func estimated(cases []stats.Cluster) Interval {
	value, low, high := stats.Rate(cases, confidence)
	return Interval{Value: value, Low: low, High: high}
}
