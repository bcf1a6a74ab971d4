package cause

import "strings"

// departAlike reports whether the cases of two rows part in the same ways from what is
// right, in one case more than in another, but half of them at least.
func departAlike(a, b *row) bool {
	x, y, both := departs(a), departs(b), 0.0
	for way, share := range x {
		both += min(share, y[way])
	}
	return both > 0.5
}

// departs is, for each way in which cases of a row part from what is right, the share of
// them that do.
func departs(r *row) map[string]float64 {
	ways, all := map[string]float64{}, 0.0
	for _, g := range r.groups {
		for _, f := range g.Failing {
			if all++; len(f.Departs) > 0 {
				ways[strings.Join(f.Departs, ", ")]++
			}
		}
	}
	for way := range ways {
		ways[way] /= all
	}
	return ways
}

// departApart reports whether the cases of two rows part in other ways from what is right.
func departApart(a, b *row) bool {
	x, y, both, one, other := departs(a), departs(b), 0.0, 0.0, 0.0
	for way, share := range x {
		both += min(share, y[way])
		one += share
	}
	for _, share := range y {
		other += share
	}
	return one > 0.5 && other > 0.5 && both == 0
}
