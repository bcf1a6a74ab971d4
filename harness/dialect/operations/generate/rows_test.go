package generate

import (
	"maps"
	"slices"
	"testing"

	"replanbench/generators"
)

// TestEachRowIsPlanted: each row changes something, and nothing else is planted.
func TestEachRowIsPlanted(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range generators.Rows[row](table) {
		rows[r.Name] = true
		i := slices.IndexFunc(traits(), func(t trait) bool { return t.Name == r.Name })
		if x := traits()[i]; x.act == nil && x.base == nil && x.reply == nil && x.spoil == nil && x.before == nil &&
			x.behind == nil && !x.Silent && x.Style == "" {
			t.Errorf("nothing plants %s", r.Name)
		}
	}
	for _, name := range slices.Concat(keys(acts()), keys(failing()), keys(bases()), keys(changes()), keys(spoils())) {
		if !rows[name] {
			t.Errorf("%s has no row", name)
		}
	}
	for name := range acts() {
		if failing()[name] != nil {
			t.Errorf("%s writes two operations", name)
		}
	}
}

func keys[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }
