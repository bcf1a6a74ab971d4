package strictjson

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// quick reads the object or list at the offset from if nothing is odd about it,
// in two thirds of the time that the decoder of jsontext takes token by token
// (see BenchmarkParse). Where it says no, that decoder is asked: it knows what
// is wrong, and where.
//
// Whatever it accepts, the decoder accepts as the same tree.
func (p *Parser) quick(from, maxDepth int) (Value, bool) {
	q := quick{Parser: p, at: skipSpace(p.text, from), room: min(maxDepth, maxQuickDepth)}
	if c := q.peek(); c != '{' && c != '[' {
		return Value{}, false
	}
	return q.value()
}

// maxQuickDepth bounds the recursion.
const maxQuickDepth = 1000

// quick is where a quick reading stands.
type quick struct {
	*Parser
	at   int // in the text
	room int // how much deeper it may nest
}

// peek returns the byte at hand; 0 is the end.
func (q *quick) peek() byte {
	if q.at < len(q.text) {
		return q.text[q.at]
	}
	return 0
}

// space skips white space and returns the byte behind it.
func (q *quick) space() byte {
	q.at = skipSpace(q.text, q.at)
	return q.peek()
}

// value reads a value that begins at hand.
func (q *quick) value() (v Value, ok bool) {
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
	return v, ok
}

func (q *quick) literal() (Kind, bool) {
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(q.text[q.at:], word) {
			q.at += len(word)
			if word == "null" {
				return Null, true
			}
			return Bool, true
		}
	}
	return Null, false
}

// number reads -0.5e+10 and the like.
func (q *quick) number() bool {
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

func (q *quick) digits() bool {
	from := q.at
	for c := q.peek(); c >= '0' && c <= '9'; c = q.peek() {
		q.at++
	}
	return q.at > from
}

// string reads a string. One with an escape that is no escape, or of half a
// character, is left to the decoder.
func (q *quick) string() (string, bool) {
	from, escapes := q.at, false
	for q.at++; q.at < len(q.text); q.at++ {
		switch c := q.text[q.at]; {
		case c == '"':
			q.at++
			if !escapes {
				return q.text[from+1 : q.at-1], true
			}
			text, err := jsontext.AppendUnquote(nil, q.text[from:q.at])
			return string(text), err == nil
		case c == '\\':
			escapes = true
			q.at++
		case c < ' ':
			return "", false
		}
	}
	return "", false
}

// open goes into an object or list, and reports whether it is empty.
func (q *quick) open(end byte) (empty, ok bool) {
	if q.room == 0 {
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

func (q *quick) close() {
	q.room++
	q.at++
}

// next goes to the next element, or behind the end of the object or list.
func (q *quick) next(end byte) (more, ok bool) {
	switch q.space() {
	case ',':
		q.at++
		q.space()
		return true, true
	case end:
		q.close()
		return false, true
	}
	return false, false
}

func (q *quick) members() ([]Member, bool) {
	empty, ok := q.open('}')
	if empty || !ok {
		return []Member{}, ok
	}
	first := len(q.Parser.members)
	var seen names
	for more := true; more; {
		start := q.at
		if q.peek() != '"' {
			return nil, false
		}
		name, ok := q.string()
		if !ok || q.space() != ':' || seen.has(name, q.Parser.members[first:]) {
			return nil, false
		}
		q.at++
		q.space()
		v, ok := q.value()
		if !ok {
			return nil, false
		}
		q.Parser.members = append(q.Parser.members, Member{name, start, v})
		if more, ok = q.next('}'); !ok {
			return nil, false
		}
	}
	list := slices.Clone(q.Parser.members[first:])
	q.Parser.members = q.Parser.members[:first]
	return list, true
}

func (q *quick) items() ([]Value, bool) {
	empty, ok := q.open(']')
	if empty || !ok {
		return []Value{}, ok
	}
	first := len(q.Parser.items)
	for more := true; more; {
		v, ok := q.value()
		if !ok {
			return nil, false
		}
		q.Parser.items = append(q.Parser.items, v)
		if more, ok = q.next(']'); !ok {
			return nil, false
		}
	}
	list := slices.Clone(q.Parser.items[first:])
	q.Parser.items = q.Parser.items[:first]
	return list, true
}
