package generate

import (
	"testing"

	"replanbench/generators"
)

// TestEachRowIsPlanted: each row changes something, and nothing else is planted.
func TestEachRowIsPlanted(t *testing.T) {
	left, forms := plants(), otherForms()
	for _, r := range generators.Rows[row](table) {
		unreadable := r.Forms != nil || forms[r.Name] != nil
		if left[r.Name] == nil && !unreadable && r.Policies == nil && r.Share == 0 {
			t.Errorf("nothing plants %s", r.Name)
		}
		if unreadable != (r.Refused != "") || unreadable && len(r.Needs) != 1 {
			t.Errorf("%s does not say which document is unreadable, or with which code", r.Name)
		}
		delete(left, r.Name)
		delete(forms, r.Name)
	}
	for name := range left {
		t.Errorf("%s has no row", name)
	}
	for name := range forms {
		t.Errorf("%s has no row", name)
	}
}
