package harness

import "strings"

// Nearest returns the candidate that best matches a misspelt word, or "" if none is near. At
// most one edit, or a third of the letters, may differ. A beginning of a candidate is near.
func Nearest(word string, candidates []string) string {
	const longest = 64
	if len(word) > longest {
		return ""
	}
	best, least := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		d := edits(strings.ToLower(word), c)
		if len(word) > 2 && strings.HasPrefix(c, word) {
			d = 1
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// edits counts the bytes to insert, delete, replace or swap with the next one to make b of a.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
