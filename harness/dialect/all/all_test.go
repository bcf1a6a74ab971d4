package all

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesOfDefectsAreUniqueAndTextsAreLines(t *testing.T) {
	var names []string
	for _, dialect := range Dialects() {
		for _, d := range dialect.Defects {
			if d.Text == "" || strings.Contains(d.Text, "\n") || strings.Contains(d.Name, " ") {
				t.Errorf("%q: %q", d.Name, d.Text)
			}
			if of, found, ok := Defect(d.Name); !ok || of != dialect || found.Text != d.Text {
				t.Errorf("%s is not found by its name", d.Name)
			}
			names = append(names, d.Name)
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(names))); len(unique) != len(names) {
		t.Errorf("%d names for %d defects", len(unique), len(names))
	}
	if _, _, ok := Defect("no-such-defect"); ok {
		t.Error("found a defect that there is not")
	}
}
