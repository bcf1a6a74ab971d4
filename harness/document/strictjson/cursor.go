package strictjson

import (
	"encoding/binary"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting is how deep the decoder of jsontext reads.
const maxNesting = 10000

// cursor is the position of a reading, which takes half of the time that the decoder of jsontext
// takes token by token (see BenchmarkParse). After a failure it is where that decoder stops.
type cursor struct {
	*Parser
	at   int  // in the text
	room int  // how much deeper it may nest
	deep bool // it would nest deeper
}

// peek returns the byte at hand; 0 is the end.
func (q *cursor) peek() byte {
	if q.at < len(q.text) {
		return q.text[q.at]
	}
	return 0
}

// space skips white space and returns the byte behind it.
func (q *cursor) space() byte {
	q.at = skipSpace(q.text, q.at)
	return q.peek()
}

// value reads a value that begins at hand.
func (q *cursor) value(v *Value) (ok bool) {
	v.Start = q.at
	switch c := q.peek(); c {
	case '{':
		v.Kind = Object
		v.Members, ok = q.members()
	case '[':
		v.Kind = Array
		v.Items, ok = q.items()
	case '"':
		v.Kind = String
		v.Text, ok = q.string()
	case 't', 'f', 'n':
		v.Kind, ok = q.literal()
	default:
		v.Kind, ok = Number, q.number()
	}
	v.End = q.at
	if v.Kind == Number || v.Kind == Bool {
		v.Text = q.text[v.Start:v.End]
	}
	return ok
}

func (q *cursor) literal() (Kind, bool) {
	kind, word := Bool, "true"
	switch q.text[q.at] {
	case 'f':
		word = "false"
	case 'n':
		kind, word = Null, "null"
	}
	for i := range len(word) {
		if q.peek() != word[i] {
			return kind, false
		}
		q.at++
	}
	return kind, true
}

// number reads -0.5e+10 and the like. One that is cut off stops where it began.
func (q *cursor) number() bool {
	from := q.at
	if q.digitsOf() {
		return true
	}
	if q.at == len(q.text) {
		q.at = from
	}
	return false
}

func (q *cursor) digitsOf() bool {
	if q.peek() == '-' {
		q.at++
	}
	if q.peek() == '0' {
		q.at++
	} else if !q.digits() {
		return false
	}
	if q.peek() == '.' {
		if q.at++; !q.digits() {
			return false
		}
	}
	if c := q.peek(); c == 'e' || c == 'E' {
		q.at++
		if c := q.peek(); c == '+' || c == '-' {
			q.at++
		}
		return q.digits()
	}
	return true
}

func (q *cursor) digits() bool {
	from := q.at
	for c := q.peek(); c >= '0' && c <= '9'; c = q.peek() {
		q.at++
	}
	return q.at > from
}

// string reads a string. It notes an escape of half a character, whose text is U+FFFD.
func (q *cursor) string() (string, bool) {
	from := q.at
	escapes, ok := q.skipString()
	switch {
	case !ok:
		return "", false
	case !escapes:
		return q.text[from+1 : q.at-1], true
	}
	text, err := jsontext.AppendUnquote(q.unquoted[:0], q.text[from:q.at])
	q.unquoted = text
	if err != nil {
		if lone := loneSurrogate(q.text[from:q.at]); lone >= 0 {
			q.surrogates = append(q.surrogates, from+lone)
		}
	}
	begin := q.texts.Len()
	if begin == 0 {
		q.texts.Grow(min(1<<10, len(q.text)-from))
	}
	q.texts.Write(text)
	return q.texts.String()[begin:], true
}

// plainEnd returns the offset of the first byte from an offset on that a string does not hold as
// it is: a control character, a quote or a backslash. It looks at eight bytes at once, and the
// lowest bit of a mask is exact.
func plainEnd(text string, at int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64([]byte(text[at : at+8]))
		quote, slash := word^ones*'"', word^ones*'\\'
		if mask := ((word-ones*' ')&^word | (quote-ones)&^quote | (slash-ones)&^slash) & high; mask != 0 {
			return at + bits.TrailingZeros64(mask)/8
		}
	}
	for at < len(text) && text[at] >= ' ' && text[at] != '"' && text[at] != '\\' {
		at++
	}
	return at
}

// skipString goes behind a string, and reports whether it has escapes.
func (q *cursor) skipString() (escapes, ok bool) {
	text, at := q.text, plainEnd(q.text, q.at+1)
	for at < len(text) && text[at] == '\\' {
		n := escape(text[at:])
		if n == 0 {
			q.at = at
			return true, false
		}
		escapes = true
		at = plainEnd(text, at+n)
	}
	if q.at = at; at == len(text) || text[at] != '"' {
		return escapes, false
	}
	q.at++
	return escapes, true
}

// escape is how long the escape is with which a text begins; 0 where it is none.
func escape(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	if text[1] != 'u' || len(text) < 6 {
		return 0
	}
	for i := 2; i < 6; i++ {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return 0
		}
	}
	return 6
}

// open goes into an object or list, and reports whether it is empty.
func (q *cursor) open(end byte) (empty, ok bool) {
	if q.room == 0 {
		q.deep = true
		return false, false
	}
	q.room--
	q.at++
	if q.space() != end {
		return false, true
	}
	q.close()
	return true, true
}

func (q *cursor) close() {
	q.room++
	q.at++
}

// next goes to the next element, or behind the end of the object or list.
func (q *cursor) next(end byte) (more, ok bool) {
	switch q.space() {
	case ',':
		comma := q.at
		q.at++
		if c := q.space(); c == '}' || c == ']' {
			q.at = comma
			return false, false
		}
		return true, true
	case end:
		q.close()
		return false, true
	}
	return false, false
}

func (q *cursor) members() ([]Member, bool) {
	empty, ok := q.open('}')
	if empty || !ok {
		return []Member{}, ok
	}
	first := len(q.Parser.members)
	var seen names
	for more := true; more; {
		start := q.at
		if q.peek() != '"' {
			q.noName()
			return nil, false
		}
		name, ok := q.string()
		if !ok || q.space() != ':' {
			return nil, false
		}
		if seen.has(name, q.Parser.members[first:]) {
			q.duplicates = append(q.duplicates, start)
		}
		q.at++
		q.space()
		if q.only != "" && name != q.only {
			q.Parser.open, ok = q.skip(q.Parser.open[:0])
		} else {
			m := Member{Name: name, At: start}
			ok = q.value(&m.Value)
			q.Parser.members = append(q.Parser.members, m)
		}
		if !ok {
			return nil, false
		}
		if more, ok = q.next('}'); !ok {
			return nil, false
		}
	}
	list := keep(q.Parser, &q.kept.members, q.Parser.members[first:], q.at)
	q.Parser.members = q.Parser.members[:first]
	return list, true
}

func (q *cursor) items() ([]Value, bool) {
	empty, ok := q.open(']')
	if empty || !ok {
		return []Value{}, ok
	}
	first := len(q.Parser.items)
	for more := true; more; {
		var v Value
		if !q.value(&v) {
			return nil, false
		}
		q.Parser.items = append(q.Parser.items, v)
		if more, ok = q.next(']'); !ok {
			return nil, false
		}
	}
	list := keep(q.Parser, &q.kept.items, q.Parser.items[first:], q.at)
	q.Parser.items = q.Parser.items[:first]
	return list, true
}

// skip goes behind the value at hand without building it, and says whether it is one;
// if not, it is where the decoder would have stopped.
func (q *cursor) skip(open []byte) ([]byte, bool) {
	for {
		switch c := q.peek(); c {
		case '{', '[':
			if len(open) == q.room {
				q.deep = true
				return open, false
			}
			open = append(open, c+2) // as ASCII has it
			q.at++
			if q.space() == c+2 {
				break // and closes at once
			}
			if c == '{' && !q.skipName() {
				return open, false
			}
			continue
		case '"':
			if _, ok := q.skipString(); !ok {
				return open, false
			}
		case 't', 'f', 'n':
			if _, ok := q.literal(); !ok {
				return open, false
			}
		default:
			if !q.number() {
				return open, false
			}
		}
		for ; len(open) > 0 && q.space() == open[len(open)-1]; q.at++ {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return open, true
		}
		if more, ok := q.next(open[len(open)-1]); !more || !ok {
			return open, false
		}
		if open[len(open)-1] == '}' && !q.skipName() {
			return open, false
		}
	}
}

// skipName goes behind a member's name and its colon.
func (q *cursor) skipName() bool {
	if q.peek() != '"' {
		q.noName()
		return false
	}
	if _, ok := q.skipString(); !ok || q.space() != ':' {
		return false
	}
	q.at++
	q.space()
	return true
}

// noName moves to where encoding/json stops if it finds no name: after a number or a
// literal, which it reads first.
func (q *cursor) noName() {
	from, ok := q.at, false
	switch c := q.peek(); {
	case c == 't', c == 'f', c == 'n':
		_, ok = q.literal()
	case c == '-', c >= '0' && c <= '9':
		ok = q.number()
	}
	if ok {
		q.at = from
	}
}
