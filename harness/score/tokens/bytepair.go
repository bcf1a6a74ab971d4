package tokens

import (
	"math"
	"strings"
	"unicode/utf8"
)

// bytePair counts with a published byte-pair vocabulary. Names of special
// tokens in the text count as the plain text that they are.
type bytePair struct {
	name string
	// piece returns the length of the first of the pieces that a text is split into.
	piece      func(text string) int
	vocabulary func() *vocabulary
}

func (b bytePair) Name() string { return b.name }

func (b bytePair) Count(text string) int {
	v := b.vocabulary()
	text = validUTF8(text)
	n := 0
	for len(text) > 0 {
		end := b.piece(text)
		n += v.count(text[:end])
		text = text[end:]
	}
	return n
}

// validUTF8 replaces invalid UTF-8 with U+FFFD: one for each maximal part of a
// character, as Python does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteRune(r)
		if r == utf8.RuneError && n == 1 {
			for n < len(s) && n < utf8.UTFMax && !utf8.FullRuneInString(s[:n]) && !utf8.RuneStart(s[n]) {
				n++
			}
			if utf8.FullRuneInString(s[:n]) && n > 1 { // the last byte does not belong
				n--
			}
		}
		s = s[n:]
	}
	return b.String()
}

// short is the length up to which a piece is searched for the best merge again
// and again, which is faster there than a heap.
const short = 64

const noRank = math.MaxUint32

// count counts the tokens of a piece: it merges the neighbours of the lowest
// rank, the leftmost first, until none can be merged.
func (v *vocabulary) count(piece string) int {
	if len(piece) == 1 || v.rank(piece) != noRank {
		return 1
	}
	if len(piece) > short {
		return v.countLong(piece)
	}
	var ends [short + 1]int // where the parts begin, and the end
	var ranks [short]uint32 // of each part with the next
	parts := len(piece)
	for i := range parts + 1 {
		ends[i] = i
	}
	rank := func(i int) uint32 {
		if i+2 > parts {
			return noRank
		}
		return v.rank(piece[ends[i]:ends[i+2]])
	}
	for i := range parts {
		ranks[i] = rank(i)
	}
	for {
		best := 0
		for i := 1; i < parts; i++ {
			if ranks[i] < ranks[best] {
				best = i
			}
		}
		if ranks[best] == noRank {
			return parts
		}
		copy(ends[best+1:parts], ends[best+2:parts+1])
		copy(ranks[best+1:parts-1], ranks[best+2:parts])
		parts--
		ranks[best] = rank(best)
		if best > 0 {
			ranks[best-1] = rank(best - 1)
		}
	}
}

// countLong is count in time linear, up to a logarithm, in the piece.
func (v *vocabulary) countLong(piece string) int {
	next := make([]uint32, len(piece)+1) // the end of the part that begins here
	prev := make([]uint32, len(piece)+1)
	ranks := make([]uint32, len(piece)) // of each part with the next, noRank inside one
	merges := make(mergeHeap, 0, len(piece))
	offer := func(i uint32) {
		ranks[i] = noRank
		if j := next[i]; int(j) < len(piece) {
			if ranks[i] = v.rank(piece[i:next[j]]); ranks[i] != noRank {
				merges.push(merge(ranks[i])<<32 | merge(i))
			}
		}
	}
	for i := range len(piece) {
		next[i], prev[i+1] = uint32(i)+1, uint32(i)
	}
	for i := range len(piece) {
		offer(uint32(i))
	}
	parts := len(piece)
	for len(merges) > 0 {
		m := merges.pop()
		i := uint32(m)
		if ranks[i] != uint32(m>>32) {
			continue // one of the two was merged with another meanwhile
		}
		j := next[i]
		ranks[j] = noRank
		next[i], prev[next[j]] = next[j], i
		parts--
		offer(i)
		if i > 0 {
			offer(prev[i])
		}
	}
	return parts
}

// merge is a part that is a token together with the next: the rank of that token,
// and where the part begins.
type merge uint64

// mergeHeap gives the merge of the lowest rank, the leftmost first.
type mergeHeap []merge

func (h *mergeHeap) push(m merge) {
	list := append(*h, m)
	i := len(list) - 1
	for i > 0 && list[(i-1)/2] > m {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = m
	*h = list
}

func (h *mergeHeap) pop() merge {
	list := *h
	first, m := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	i := 0
	for child := 1; child < len(list); child = 2*i + 1 {
		if child+1 < len(list) && list[child+1] < list[child] {
			child++
		}
		if list[child] >= m {
			break
		}
		list[i] = list[child]
		i = child
	}
	if len(list) > 0 {
		list[i] = m
	}
	*h = list
	return first
}
