package check

import (
	"strings"
	"testing"
)

// TestScaled: items are repeated under other ids, and replies without a list stay.
func TestScaled(t *testing.T) {
	for _, tt := range []struct{ name, reply, want string }{
		{"no JSON", "no plan", "no plan"},
		{"no objects", `{"remove_steps":["a"]}`, `{"remove_steps":["a"]}`},
		{
			"steps", `{"add_steps":[{"id":"a","description":"d","dependencies":["b"]}]}`,
			`{"add_steps":[{"id":"a","description":"d","dependencies":["b"]},` +
				`{"id":"a 0","description":"d 0","dependencies":["b"]},{"id":"a 1","description":"d 1","dependencies":["b"]}]}`,
		},
		{
			"the longest list", `{"update_steps":[{"id":"x"}],"add_steps":[{"id":"a"},{"id":"b"}]}`,
			`{"update_steps":[{"id":"x"}],"add_steps":[{"id":"a"},{"id":"b"},{"id":"b 0"},{"id":"b 1"}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.ReplaceAll(scaled(tt.reply, 2), `": `, `":`); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
