package cause

import "strings"

// nearlyAll is the share of cases from which on other differences of two rows do not count.
const nearlyAll = 0.9

// departAlike reports whether more than a share of the cases of two rows part in the same
// ways from what is right.
func departAlike(a, b *row, share float64) bool { return overlap(departs(a), departs(b)) > share }

// departApart reports whether most cases of two rows part from what is right, and in no
// way that the other does.
func departApart(a, b *row) bool {
	x, y := departs(a), departs(b)
	return overlap(x, x) > half && overlap(y, y) > half && overlap(x, y) == 0
}

// overlap is the share of cases that go in the same ways.
func overlap(x, y map[string]float64) (both float64) {
	for way, share := range x {
		both += min(share, y[way])
	}
	return both
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
