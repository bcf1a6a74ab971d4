package stats

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
