package score

import "slices"

// confusion counts the cases that two results share, by outcome before and after.
type confusion struct {
	Key []string `json:"key"`
	// Outcomes name rows (before) and columns (after); Cells counts cases.
	Outcomes []string `json:"outcomes"`
	Cells    [][]int  `json:"cells"`
}

// outcomes lists the outcomes of a case: the most frequent outcome of its requests, or
// mixed in a tie.
func outcomes() []string {
	return []string{"at first", "retry", "fullplan", "given up", "failed", "mixed"}
}

// confuse counts the outcomes of the cases of two groups. It returns nil if an old report
// lacks them.
func confuse(base, now *Result, b, n *Group) *confusion {
	c := &confusion{Key: b.Key, Outcomes: outcomes()}
	for range c.Outcomes {
		c.Cells = append(c.Cells, make([]int, len(c.Outcomes)))
	}
	after := map[string]CaseCounts{}
	for _, x := range n.ByCase {
		after[x.Case] = x
	}
	pairs := 0
	for _, x := range b.ByCase {
		y, both := after[x.Case]
		from, to := base.ended(x), now.ended(y)
		if both && from >= 0 && to >= 0 {
			c.Cells[from][to]++
			pairs++
		}
	}
	if pairs == 0 {
		return nil
	}
	return c
}

// ended returns the index in Outcomes of the outcome of a case, or -1 if none of its
// requests was judged.
func (r *Result) ended(c CaseCounts) int {
	count := func(metric string) (yes, asked int) {
		if i := slices.Index(r.Metrics, metric); i >= 0 {
			x := c.count(i)
			return x.Yes, x.Asked
		}
		return 0, 0
	}
	fell, asked := count(fallbackRate)
	if asked == 0 {
		return -1
	}
	if 2*(asked-fell) > asked {
		return 0
	}
	for i, metric := range []string{"retry_rate", "fullplan_rate", "react_rate", "failed_rate"} {
		if yes, _ := count(metric); 2*yes > asked {
			return i + 1
		}
	}
	return len(outcomes()) - 1
}
