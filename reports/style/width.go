package style

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Width is how many columns of a terminal a text without control characters takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}
