package stats

import "math"

// Wilson returns the score interval for a rate of k successes in n independent
// trials: all rates p with |k/n − p| ≤ z·√(p(1−p)/n). Unlike the textbook
// interval it stays within 0 and 1 and is honest for rates near them. With no
// trial it is the whole range from 0 to 1.
//
// Source: E. B. Wilson, Probable inference, the law of succession, and
// statistical inference, JASA 22 (1927) 209–212.
func Wilson(k, n int, confidence float64) (lo, hi float64) {
	return wilson(float64(k), float64(n), twoSided(confidence))
}

// wilson takes counts that need not be whole, for effective sample sizes.
func wilson(k, n, z float64) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	p, z2 := k/n, z*z
	mid := (p + z2/(2*n)) / (1 + z2/n)
	half := z / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	lo, hi = max(0, mid-half), min(1, mid+half)
	if k <= 0 {
		lo = 0 // exactly, not a rounding error above
	}
	if k >= n {
		hi = 1
	}
	return lo, hi
}
