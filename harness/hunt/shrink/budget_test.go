package shrink_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/shrink"
)

// A history that must be longer than its budget: both come down together.
func TestHistory(t *testing.T) {
	c := harness.Case{Dialect: "trim", Budget: []byte(`{"max_tokens":2000}`), Policy: []byte(`["window"]`)}
	c.Messages = []byte(`[`)
	for range 600 {
		c.Messages = append(c.Messages, `{"content":"abcdef"},`...)
	}
	c.Messages = append(c.Messages, `{"content":"g"}]`...)
	over := func(c harness.Case) bool {
		var messages []struct{ Content string }
		var budget struct {
			Max int `json:"max_tokens"`
		}
		if json.Unmarshal(c.Messages, &messages, json.MatchCaseInsensitiveNames(true)) != nil ||
			json.Unmarshal(c.Budget, &budget) != nil {
			return false
		}
		total := 0
		for _, m := range messages {
			total += len(m.Content)
		}
		return budget.Max > 0 && total > budget.Max
	}
	if !over(c) {
		t.Fatal("the case does not show it to begin with")
	}
	got, calls := shrunk(all.Find(c.Dialect), c, shrink.DefaultBudget, over)
	if string(got.Budget) != `{"max_tokens":1}` || len(got.Messages) > 24 {
		t.Errorf("after %d calls: %s of %s", calls, got.Messages, got.Budget)
	}
}
