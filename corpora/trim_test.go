package corpora_test

import (
	"testing"

	"replanbench/corpora"
	"replanbench/harness/history"
)

func TestTrimNamesWhatWasLost(t *testing.T) {
	for _, c := range []struct {
		lost        []history.Fate
		overflow    float64
		name, class string
	}{
		{nil, 0.5, "nothing", "0–100 %"},
		{nil, 1, "nothing", "0–100 %"},
		{
			[]history.Fate{{Index: 3, Role: "user"}, {Index: 1, Role: "user", Tag: "plan"}, {Index: 4, Role: "user"}},
			1.01,
			"plan, user", "100–200 %",
		},
		{[]history.Fate{{Role: "tool", Tag: "tool_result"}}, 2, "tool_result", "100–200 %"},
		{nil, 4, "nothing", "200–400 %"},
		{nil, 8, "nothing", "400–800 %"},
		{nil, 8.11, "nothing", "800 % and more"},
	} {
		trim := corpora.Trim{Lost: c.lost, Overflow: c.overflow}
		if name, class := trim.Name(), trim.Class(); name != c.name || class != c.class {
			t.Errorf("%v: %q, %q, want %q, %q", c.lost, name, class, c.name, c.class)
		}
	}
}

// Records that differ in policy or budget alone are two replies.
func TestKeyDistinguishesArms(t *testing.T) {
	keys := map[string]bool{}
	for _, trim := range []*corpora.Trim{
		nil,
		{Policy: "window", Budget: 9},
		{Policy: "window", Budget: 10},
		{Policy: "pinned", Budget: 9},
	} {
		r := corpora.Record{Model: "m", Prompt: "p", Case: "c", Attempt: 1, Trim: trim}
		keys[r.Key()] = true
	}
	if len(keys) != 4 {
		t.Errorf("%d keys, want 4: %v", len(keys), keys)
	}
}
