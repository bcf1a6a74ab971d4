package generate

import (
	"strings"
	"testing"

	"replanbench/harness/document/collect"
)

// TestPhrases holds contents apart: no two are similar, however they are paired.
func TestPhrases(t *testing.T) {
	seen := map[string]bool{}
	var words collect.Joiner
	for i := range phrases {
		p := phrase(&words, i)
		if seen[p] || strings.ToLower(p) != p || len(p) > 40 {
			t.Errorf("%q is there twice, or no short plain text", p)
		}
		seen[p] = true
		for j := range i {
			if q := phrase(&words, j); 5*distance(p, q) <= max(len(p), len(q)) {
				t.Errorf("%q and %q are similar", p, q)
			}
		}
	}
}

// TestSpecial looks for a row of the table for everything that rows cannot say.
func TestSpecial(t *testing.T) {
	more := special()
	for _, trait := range traits() {
		delete(more, trait.Name)
	}
	for name := range more {
		t.Errorf("the table has no trait %s", name)
	}
}

// distance is the Levenshtein distance of two ASCII texts.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
