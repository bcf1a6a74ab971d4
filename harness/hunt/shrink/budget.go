package shrink

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// budgets lowers the budget that a history has to meet, so that fewer messages
// are enough to fill it.
func (s *shrinker) budgets() {
	root := parse(string(s.best.Budget))
	if root == nil {
		return
	}
	limit := root.Get("max_tokens")
	if limit == nil {
		return
	}
	for {
		n, err := strconv.Atoi(limit.Raw)
		if err != nil || !s.lowerBudget(root, limit, n) {
			return
		}
	}
}

// lowerBudget tries smaller budgets, the boldest first; the one that keep
// accepts stays.
func (s *shrinker) lowerBudget(root, limit *node, n int) bool {
	for _, smaller := range []int{1, n / 10, n / 2, n * 3 / 4, n * 9 / 10, n - 1} {
		if smaller < 1 || smaller >= n {
			continue
		}
		limit.Raw = strconv.Itoa(smaller)
		c := s.best
		if c.Budget = jsontext.Value(root.String()); s.try(c) {
			return true
		}
	}
	limit.Raw = strconv.Itoa(n)
	return false
}
