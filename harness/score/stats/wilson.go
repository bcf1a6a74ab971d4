package stats

import "math"

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
