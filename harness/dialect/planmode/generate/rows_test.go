package generate

import (
	"testing"

	"replanbench/generators"
)

// TestEachRowIsPlanted: each row changes something, and nothing else is planted.
func TestEachRowIsPlanted(t *testing.T) {
	rows := map[string]bool{}
	starts, plants, seen := starts(), plants(), recognised()
	for _, r := range generators.Rows[row](table) {
		rows[r.Name] = true
		if starts[r.Name] == nil && plants[r.Name] == nil && r.Calls == nil && r.Loses&aScript == 0 {
			t.Errorf("nothing plants %s", r.Name)
		}
		if plants[r.Name] != nil && r.Calls != nil {
			t.Errorf("%s adds calls in two ways", r.Name)
		}
	}
	for _, list := range []map[string]move{starts, plants} {
		for name := range list {
			if !rows[name] {
				t.Errorf("%s has no row", name)
			}
		}
	}
	for name := range seen {
		if !rows[name] {
			t.Errorf("%s has no row", name)
		}
	}
}
