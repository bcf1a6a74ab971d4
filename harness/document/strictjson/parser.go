package strictjson

import (
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Parser reads values anywhere in a text.
type Parser struct {
	text string

	// Members and items of the open containers; the ones of a container
	// are copied out when it closes, behind the kept values.
	members  []Member
	items    []Value
	kept     kept
	lent     bool            // it was borrowed
	only     string          // the members to read; "" is all
	open     []byte          // the ends of those that are being skipped
	unquoted []byte          // the last string with escapes
	texts    strings.Builder // of strings with escapes
	failed   Error           // why the last value is none

	// Offsets of faults in the value at hand, which is well-formed.
	duplicates, surrogates []int
}

// kept is the memory of values.
type kept struct {
	members []Member
	items   []Value
	docs    []Document
}

// keep appends the members or items of a container, which closes at the offset, to the
// kept ones. It allocates as many as the rest of the text may need, or twice as many as
// before if other texts will use the memory.
func keep[T any](p *Parser, kept *[]T, list []T, at int) []T {
	if cap(*kept)-len(*kept) < len(list) {
		most := min(maxKept, (len(p.text)-at)/memberBytes)
		if p.lent {
			most = min(max(maxKept, 2*cap(*kept)), maxLent)
		}
		*kept = make([]T, 0, max(len(list), most))
	}
	from := len(*kept)
	*kept = append(*kept, list...)
	return (*kept)[from:len(*kept):len(*kept)]
}

// maxKept bounds how many are allocated at once, and memberBytes is what one takes
// of a text where they are short.
const maxKept, memberBytes = 32, 20

// maxLent is the same for parsers that are lent, and the length up to which their
// texts may be held until others take their place.
const maxLent, maxHeld = 512, 16 << 10

// NewParser returns a parser for a text, which must be valid UTF-8.
func NewParser(text string) *Parser {
	return &Parser{text: text, members: make([]Member, 0, 8), items: make([]Value, 0, 8)}
}

// lent holds parsers that were released, for the memory that they have.
var lent = sync.Pool{New: func() any { return &Parser{lent: true} }}

// Borrow is [NewParser] for one who calls [Parser.Release] in the end: half of what
// reading a short text takes goes into memory.
func Borrow(text string) *Parser {
	p := lent.Get().(*Parser)
	p.text = text
	return p
}

// Release gives back the memory of a parser that was borrowed, if there is one. Neither it nor any
// value that it returned may be used any more; their texts and names may.
func (p *Parser) Release() {
	if p == nil {
		return
	}
	long, k := len(p.text) > maxHeld, p.kept
	*p = Parser{
		lent: true, members: again(p.members, long), items: again(p.items, long), unquoted: p.unquoted[:0],
		kept: kept{members: again(k.members, long), items: again(k.items, long), docs: again(k.docs, long)},
	}
	lent.Put(p)
}

// again is the memory of a list to be used for another text: not much of it, and
// nothing in it that holds a long one.
func again[T any](list []T, long bool) []T {
	if cap(list) > 4*maxLent {
		return nil
	}
	if long {
		clear(list[:cap(list)])
	}
	return list[:0]
}

// Only makes the parser skip the members of any other name.
func (p *Parser) Only(name string) *Parser {
	p.only = name
	return p
}

// ParseAt reads the value that begins at the offset from and returns where it
// ends. It ignores the text behind the value. The error is an *Error, which
// has no message and is only good until the next call: a text may hold a million
// beginnings of values that are none.
func (p *Parser) ParseAt(from, maxDepth int) (*Document, int, error) {
	p.members, p.items = p.members[:0], p.items[:0]
	p.duplicates, p.surrogates = nil, nil
	q := cursor{Parser: p, at: skipSpace(p.text, from), room: min(maxDepth, maxNesting)}
	var root Value
	if !q.value(&root) {
		p.failed = Error{Offset: q.at, TooDeep: q.deep}
		return nil, 0, &p.failed
	}
	p.kept.docs = append(p.kept.docs, Document{Root: root})
	doc := &p.kept.docs[len(p.kept.docs)-1]
	if p.pending(root.End) {
		p.place(doc, &doc.Root, "")
	}
	return doc, root.End, nil
}

// place notes the places of faults in a value, which the pointer names.
func (p *Parser) place(doc *Document, v *Value, at string) {
	if v.Kind == String {
		p.placeSurrogate(doc, v.End, at)
	}
	for i := 0; i < len(v.Members) && p.pending(v.End); i++ {
		m := &v.Members[i]
		inner := at + "/" + Escape(m.Name)
		p.placeSurrogate(doc, m.Value.Start, inner)
		if len(p.duplicates) > 0 && p.duplicates[0] == m.At {
			doc.Duplicates, p.duplicates = append(doc.Duplicates, Place{inner, m.Name, m.At}), p.duplicates[1:]
		}
		p.place(doc, &m.Value, inner)
	}
	for i := 0; i < len(v.Items) && p.pending(v.End); i++ {
		p.place(doc, &v.Items[i], at+"/"+strconv.Itoa(i))
	}
}

// pending reports whether something before the offset has no place yet.
func (p *Parser) pending(end int) bool {
	return len(p.duplicates) > 0 && p.duplicates[0] < end || len(p.surrogates) > 0 && p.surrogates[0] < end
}

func (p *Parser) placeSurrogate(doc *Document, end int, at string) {
	if len(p.surrogates) > 0 && p.surrogates[0] < end {
		doc.Surrogates = append(doc.Surrogates, Place{Pointer: at, Offset: p.surrogates[0]})
		p.surrogates = p.surrogates[1:]
	}
}

// describe returns the message for the value at the offset, which is none.
func (p *Parser) describe(from int) string {
	dec := jsontext.NewDecoder(strings.NewReader(p.text[from:]), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	if syn, ok := errors.AsType[*jsontext.SyntacticError](dec.SkipValue()); ok {
		return Syntax(syn)
	}
	return "the JSON is cut off"
}

// SkipAt finds the end of the value that begins at the offset from, without building it.
// Without a valid value it returns where reading stopped, and false.
func (p *Parser) SkipAt(from int) (end int, ok bool) {
	q := cursor{Parser: p, at: skipSpace(p.text, from), room: maxNesting}
	p.open, ok = q.skip(p.open[:0])
	return q.at, ok
}

// names finds duplicates among an object's names: by looking through a few, by
// a map if there are many, so that the cost stays linear.
type names map[string]bool

func (n *names) has(name string, before []Member) bool {
	if len(before) < 16 {
		for i := range before {
			if before[i].Name == name {
				return true
			}
		}
		return false
	}
	if *n == nil {
		*n = make(names)
		for i := range before {
			(*n)[before[i].Name] = true
		}
	}
	found := (*n)[name]
	(*n)[name] = true
	return found
}

// loneSurrogate returns the offset of an escape in a string that is half a character, or -1.
func loneSurrogate(raw string) int {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch r := hex4(raw[i+1:]); {
		case r < 0xd800 || r > 0xdfff:
			i += 4
		case r < 0xdc00 && isLowSurrogate(raw[i+5:]):
			i += 10
		default:
			return i - 1
		}
	}
	return -1
}

func isLowSurrogate(b string) bool {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return false
	}
	r := hex4(b[2:])
	return r >= 0xdc00 && r <= 0xdfff
}

func hex4(b string) int {
	n, _ := strconv.ParseUint(b[:4], 16, 32)
	return int(n)
}

func skipSpace(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}
