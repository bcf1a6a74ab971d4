package stats

// Holds reports whether the interval of [Rate] holds a rate, without looking for
// its ends, which takes eighty times as long.
func Holds(clusters []Cluster, confidence, rate float64) bool {
	return !newLowEnd(clusters, confidence)(rate) && !newLowEnd(mirrored(clusters), confidence)(1-rate)
}
