package generate

import (
	"testing"

	"replanbench/generators"
)

// TestEachRowHasItsPart: a row does what its part does, and no part is without a row.
func TestEachRowHasItsPart(t *testing.T) {
	left := parts()
	for _, r := range generators.Rows[row](rows) {
		if r.part(left).plant == nil {
			t.Errorf("%s does nothing", r.Name)
		}
		delete(left, r.Name)
	}
	for name := range left {
		t.Errorf("%s has no row", name)
	}
}
