package tokens

import (
	"container/heap"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// The byte-pair encodings split a text into pieces first, and one kind of piece
// is white space up to the last line break of a run. The library's splitter
// stops at the first break instead where lines of nothing but white space
// follow each other, and so counts too many tokens. Such pieces are found and
// counted here; all others by the library.

// blanks counts pieces of white space by one vocabulary.
type blanks struct {
	ranks func() ranks
	// marks says that combining marks are parts of words. Line breaks behind
	// what is neither word nor number belong to that piece, not to the blanks.
	marks bool
}

// ranks are the tokens made of nothing but bytes of white space.
type ranks map[string]uint

// The tables are read out of the library's vocabularies, which takes some tens
// of milliseconds, when the first piece is to be counted; never written after.
var (
	o200kBlanks  = sync.OnceValue(func() ranks { return blankRanks(codec.NewO200kBase()) })
	cl100kBlanks = sync.OnceValue(func() ranks { return blankRanks(codec.NewCl100kBase()) })
)

// endOfRanks is behind the last token of both vocabularies.
const endOfRanks = 200_000

func blankRanks(c *codec.Codec) ranks {
	var bytes strings.Builder
	for _, r := range unicode.White_Space.R16 {
		for x := r.Lo; x <= r.Hi; x += r.Stride {
			bytes.WriteRune(rune(x))
		}
	}
	list := ranks{}
	for rank := range uint(endOfRanks) {
		token, err := c.Decode([]uint{rank})
		if err == nil && consists(token, bytes.String()) {
			list[token] = rank
		}
	}
	return list
}

// consists reports whether a token is made of these bytes alone.
func consists(token, bytes string) bool {
	for i := range len(token) {
		if strings.IndexByte(bytes, token[i]) < 0 {
			return false
		}
	}
	return true
}

// find returns the next piece that the library would split, or false.
func (b blanks) find(text string) (start, end int, ok bool) {
	for i := 0; i < len(text); {
		if !isBreak(text[i]) {
			i++
			continue
		}
		start = i
		if b.takesBreaks(text[:i]) {
			start = skipBreaks(text, i)
		}
		end, mixed := lastBreak(text, start)
		if mixed {
			return runStart(text, start), end, true
		}
		i = max(end, i+1)
	}
	return 0, 0, false
}

// lastBreak follows the run of white space from i and returns the end of its
// last line break (i without one), and whether other white space stands
// between a break and that one.
func lastBreak(text string, i int) (end int, mixed bool) {
	end = i
	seen := false
	for i < len(text) {
		if isBreak(text[i]) {
			mixed = mixed || seen && i > end
			seen = true
			i++
			end = i
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return end, mixed
}

// runStart goes back over the white space before the first break of a run.
func runStart(text string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		if !unicode.IsSpace(r) || isBreak(text[i-1]) {
			break
		}
		i -= n
	}
	return i
}

func skipBreaks(text string, i int) int {
	for i < len(text) && isBreak(text[i]) {
		i++
	}
	return i
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' }

// takesBreaks reports whether the piece that ends here goes on with the line
// breaks behind it.
func (b blanks) takesBreaks(before string) bool {
	r, n := utf8.DecodeLastRuneInString(before)
	return n > 0 && !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !(b.marks && unicode.IsMark(r))
}

// count counts the tokens of a piece of white space: it merges the neighbours
// of the lowest rank, the leftmost first, until none can be merged.
func (b blanks) count(piece string) int {
	known := b.ranks()
	if _, ok := known[piece]; ok {
		return 1
	}
	next := make([]int, len(piece)+1) // the end of the part that begins here; 0 inside one
	prev := make([]int, len(piece)+1)
	for i := range len(piece) {
		next[i], prev[i+1] = i+1, i
	}
	var merges mergeHeap
	offer := func(i int) {
		if j := next[i]; j < len(piece) {
			if rank, ok := known[piece[i:next[j]]]; ok {
				heap.Push(&merges, merge{rank, i, next[j]})
			}
		}
	}
	for i := range len(piece) {
		offer(i)
	}
	parts := len(piece)
	for len(merges) > 0 {
		m := heap.Pop(&merges).(merge)
		j := next[m.start]
		if j == 0 || j >= len(piece) || next[j] != m.end {
			continue // one of the two was merged with another meanwhile
		}
		next[j] = 0
		next[m.start], prev[m.end] = m.end, m.start
		parts--
		offer(m.start)
		if m.start > 0 {
			offer(prev[m.start])
		}
	}
	return parts
}

// merge is two neighbouring parts, from start to end, that are a token.
type merge struct {
	rank       uint
	start, end int
}

// mergeHeap gives the merge of the lowest rank, the leftmost first.
type mergeHeap []merge

func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	return h[i].rank < h[j].rank || h[i].rank == h[j].rank && h[i].start < h[j].start
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.(merge)) }
func (h *mergeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
