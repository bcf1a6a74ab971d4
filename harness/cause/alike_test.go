package cause

import "testing"

// TestBreaksNothing: a group of which no case is kept is explained by nothing.
func TestBreaksNothing(t *testing.T) {
	var c Campaign
	if c.breaks(suspect{}, &Group{Cases: 3}) || c.explainsGroup(nil, suspect{}, &Group{Cases: 3}, nil) {
		t.Error("a group without cases is explained")
	}
}
