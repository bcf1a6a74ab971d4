package generate

import (
	"testing"

	"replanbench/generators"
)

// TestEachRowIsPlanted: each row has something that plants it, and nothing else is planted.
func TestEachRowIsPlanted(t *testing.T) {
	left := plantings()
	for _, r := range generators.Rows[row](table) {
		if r.planting(left) == nil {
			t.Errorf("nothing plants %s", r.Name)
		}
		delete(left, r.Name)
	}
	for name := range left {
		t.Errorf("%s has no row", name)
	}
}
