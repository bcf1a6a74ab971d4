package harness

import "strings"

// Nearest returns the candidate that a misspelt word was most likely meant to
// be, or "" where none is near: at most two letters differ, or a third of them.
func Nearest(word string, candidates []string) string {
	const longest = 64
	if len(word) > longest {
		return ""
	}
	best, least := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), c); d < least {
			best, least = c, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
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
