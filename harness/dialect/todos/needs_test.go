package todos

import (
	"slices"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
)

// TestNested: a Markdown list has nested items if an item of any kind is indented.
func TestNested(t *testing.T) {
	for reply, want := range map[harness.Reply]bool{
		"- [ ] Read\n  - [x] Write": true, "- [ ] Read\n\t* [ ] Write": true, "1. [ ] Read\n   2. [x] Write": true,
		"\t- [ ] Read\n\t- [x] Write": true, "- [ ] Read\n- [x] Write": false,
		"- [ ] Read\n\n  and more text": false, `{"todos": [{"content": "- [ ] Read", "status": "pending"}]}`: false,
	} {
		c := harness.Case{Dialect: "todos", Plan: []byte(`{"items": []}`), Replies: []harness.Reply{reply}}
		if got := slices.Contains(needs(c), spec.NeedsNested); got != want {
			t.Errorf("%q needs nested items: %v, want %v", reply, got, want)
		}
	}
}
