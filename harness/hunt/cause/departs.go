package cause

import "strings"

// nearlyAll is the share of cases from which on other differences of two rows do not count.
const nearlyAll = 0.9

// departAlike reports whether more than a share of the cases of two rows differ from the
// expected outcome in the same ways.
func departAlike(a, b *row, share float64) bool { return overlap(departs(a), departs(b)) > share }

// departApart reports whether most cases of two rows differ from the expected outcome, and
// never in the same way.
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

// departs returns each way of differing from the expected outcome, with its share of the
// cases of a row.
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
