package planpatch

import (
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
)

// TestNeeds: no sample for an engine without a capability needs it, and every
// capability is needed by some.
func TestNeeds(t *testing.T) {
	d := Dialect()
	needed := func(without []string, n uint64) map[string]int {
		source, err := d.Source(generators.Options{Without: without})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int{}
		for i := range n {
			for _, name := range d.Needs(source.At(1, i).Case) {
				found[name]++
			}
		}
		return found
	}
	all := needed(nil, 700)
	for _, c := range spec.Vocabulary().Capabilities {
		if all[c.Name] == 0 {
			t.Errorf("no sample needs %s", c.Name)
		}
		if n := needed([]string{c.Name}, 700)[c.Name]; n > 0 {
			t.Errorf("%d samples for an engine without %s need it", n, c.Name)
		}
	}
}

// TestTraitsNeed: what a trait says that it needs is on the list.
func TestTraitsNeed(t *testing.T) {
	known := harness.Names(spec.Vocabulary().Capabilities)
	for _, trait := range Dialect().Traits {
		for _, name := range trait.Needs {
			if !slices.Contains(known, name) {
				t.Errorf("%s needs %q, which is no capability", trait.Name, name)
			}
		}
		if trait.Theme == "" || trait.Place == "" {
			t.Errorf("%s has no theme or place", trait.Name)
		}
	}
}
