package rules

import (
	"testing"

	"pgregory.net/rapid"
)

// TestDistance compares the band with the whole table.
func TestDistance(t *testing.T) {
	letters := rapid.SliceOfN(rapid.SampledFrom([]rune("abc")), 0, 24)
	rapid.Check(t, func(t *rapid.T) {
		a, b, limit := letters.Draw(t, "a"), letters.Draw(t, "b"), rapid.IntRange(0, 8).Draw(t, "limit")
		want := min(whole(a, b), limit+1)
		if got := min(distance(a, b, limit), limit+1); got != want {
			t.Fatalf("%q %q within %d: %d, want %d", string(a), string(b), limit, got, want)
		}
	})
}

// whole is the Levenshtein distance by its definition.
func whole(a, b []rune) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			switch {
			case i == 0 || j == 0:
				table[i][j] = i + j
			case a[i-1] == b[j-1]:
				table[i][j] = table[i-1][j-1]
			default:
				table[i][j] = 1 + min(table[i-1][j-1], table[i-1][j], table[i][j-1])
			}
		}
	}
	return table[len(a)][len(b)]
}
