package rules

import (
	"fmt"
	"sort"
	"strings"

	"github.com/rivo/uniseg"

	"replanbench/harness/score/tokens"
)

// chunk is how many bytes are counted at once while looking for a place to
// cut: counts of neighbouring chunks add up to at most a little more than the
// count of both together.
const chunk = 1024

// cutter shortens texts to a number of tokens, never inside a grapheme. It
// counts about as much text as it keeps, whatever the text's length.
type cutter struct{ tok tokens.Tokenizer }

// marker says in a text's place how many tokens of it were cut out.
type marker func(tokens int) string

// markers are tried in turn: where there is no room for words, a sign; where
// there is none for that either, nothing.
func markers(words string) []marker {
	return []marker{
		func(n int) string { return fmt.Sprintf(words, n) },
		func(int) string { return "…" },
		func(int) string { return "" },
	}
}

// head keeps the beginning of a text of so many tokens, up to the end of a
// line where there is one, else up to a grapheme, so that it costs at most
// limit tokens with its marker.
func (c cutter) head(text string, tokens, limit int) string {
	return c.cut(text, tokens, limit, "[... %d tokens cut]", func(room int) (string, string) {
		head := c.take(text, room)
		if i := strings.LastIndexByte(head, '\n'); i >= 0 && len(head) < len(text) {
			head = head[:i+1]
		}
		return head, ""
	})
}

// middle keeps the beginning and the end of a text of so many tokens, so that
// it costs at most limit tokens with the marker between them.
func (c cutter) middle(text string, tokens, limit int) string {
	return c.cut(text, tokens, limit, "\n[... %d tokens cut ...]\n", func(room int) (string, string) {
		head := c.take(text, room-room/2)
		return head, c.takeEnd(text[len(head):], room/2)
	})
}

// cut puts a marker between the two parts that keep gives it for a number of
// tokens, and asks for less until the whole fits. The result is shorter than
// the text in tokens and in bytes.
func (c cutter) cut(text string, tokens, limit int, words string, keep func(room int) (head, tail string)) string {
	for _, mark := range markers(words) {
		room := limit - c.tok.Count(mark(tokens))
		for less := 1; room >= 0; less *= 2 {
			head, tail := keep(room)
			left := tokens - c.tok.Count(head) - c.tok.Count(tail)
			short := head + mark(max(left, 1)) + tail
			if len(short) >= len(text) {
				break
			}
			if c.tok.Count(short) <= limit {
				return short
			}
			room -= less
		}
	}
	return ""
}

// take returns the longest beginning of a text, in whole graphemes, that costs
// about so many tokens.
func (c cutter) take(text string, room int) string {
	at := 0
	for at < len(text) {
		end := nextChunk(text, at)
		n := c.tok.Count(text[at:end])
		if n > room {
			return text[:at+c.within(text[at:end], room)]
		}
		room -= n
		at = end
	}
	return text
}

// within returns how much of a chunk's beginning costs at most so many tokens.
func (c cutter) within(part string, room int) int {
	ends := make([]int, 1, len(part)+1)
	for at := 0; at < len(part); {
		at = nextGrapheme(part, at)
		ends = append(ends, at)
	}
	i := sort.Search(len(ends), func(i int) bool { return c.tok.Count(part[:ends[i]]) > room })
	return ends[max(i-1, 0)]
}

// takeEnd returns the longest end of a text, in whole graphemes, that costs
// about so many tokens. The text must begin at a grapheme.
func (c cutter) takeEnd(text string, room int) string {
	starts := []int{0}
	for at := 0; at < len(text); {
		at = nextChunk(text, at)
		starts = append(starts, at)
	}
	for i := len(starts) - 1; i > 0; i-- {
		part := text[starts[i-1]:starts[i]]
		n := c.tok.Count(part)
		if n > room {
			return text[starts[i-1]+c.withinEnd(part, room):]
		}
		room -= n
	}
	return text
}

// withinEnd returns where the end of a chunk begins that costs at most so many
// tokens.
func (c cutter) withinEnd(part string, room int) int {
	starts := make([]int, 0, len(part))
	for at := 0; at < len(part); at = nextGrapheme(part, at) {
		starts = append(starts, at)
	}
	i := sort.Search(len(starts), func(i int) bool { return c.tok.Count(part[starts[i]:]) <= room })
	if i == len(starts) {
		return len(part)
	}
	return starts[i]
}

// nextChunk returns the first end of a grapheme at least chunk bytes on.
func nextChunk(text string, at int) int {
	for end := at + chunk; at < end && at < len(text); {
		at = nextGrapheme(text, at)
	}
	return at
}

// nextGrapheme returns the end of the grapheme cluster that begins at a
// boundary (Unicode Standard Annex 29, extended clusters). Between two ASCII
// characters there always is a boundary, except inside CR LF.
func nextGrapheme(text string, at int) int {
	if text[at] < 0x80 && at+1 < len(text) && text[at+1] < 0x80 && (text[at] != '\r' || text[at+1] != '\n') {
		return at + 1
	}
	_, rest, _, _ := uniseg.FirstGraphemeClusterInString(text[at:], -1) //nolint:dogsled // the width and the state
	return len(text) - len(rest)
}
