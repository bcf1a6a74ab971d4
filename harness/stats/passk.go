package stats

// PassAtK estimates the chance that at least one of k replies to a case
// succeeds, from c successes in n recorded replies, without bias:
//
//	1 − C(n−c, k) / C(n, k)
//
// ok is false where n < k or k < 1: then there is no such estimate. Over several
// cases take the mean.
//
// Source: M. Chen et al., Evaluating large language models trained on code,
// arXiv:2107.03374, equation 1.
func PassAtK(n, c, k int) (p float64, ok bool) {
	if k < 1 || n < k || c < 0 || c > n {
		return 0, false
	}
	return 1 - drawn(n-c, n, k), true
}

// PassHatK estimates the chance that all of k replies to a case succeed, which
// is what someone who cannot choose among replies lives with:
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

// drawn is C(m, k)/C(n, k), the chance that k draws out of n without
// replacement all come from m of them, as a product that cannot overflow.
func drawn(m, n, k int) float64 {
	p := 1.0
	for i := range k {
		p *= max(0, float64(m-i)) / float64(n-i)
	}
	return p
}
