package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Parser reads values anywhere in a text.
type Parser struct {
	text string
	data []byte // the same, once the decoder is needed
	dec  *jsontext.Decoder
	buf  bytes.Buffer
	base int
	doc  *Document
	max  int
	path []token // from the root to the value at hand

	// Members and items of the open containers; the ones of a container
	// are copied out when it closes, behind the kept values.
	members  []Member
	items    []Value
	kept     kept
	spare    kept   // of the pool, while the values must outlive the parser
	retains  bool   // they must
	lent     bool   // it was borrowed
	open     []byte // the ends of those that are being skipped
	unquoted []byte // the last string with escapes
	failed   Error  // why the last value is none
}

// kept is the memory of values.
type kept struct {
	members []Member
	items   []Value
	docs    []Document
}

// keep copies the members or items of a container that closes at the offset to the end
// of what is kept. As many are allocated at once as the rest of the text may still need, or twice as many
// as before if other texts will use the memory.
func keep[T any](p *Parser, kept *[]T, list []T, at int) []T {
	if cap(*kept)-len(*kept) < len(list) {
		most := min(maxKept, (len(p.text)-at)/memberBytes)
		if p.lent && !p.retains {
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

// token is a step from a value to one inside it.
type token struct {
	name  string
	index int // -1 for a name
}

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

// Retain is [Borrow] for one who uses values after [Parser.Release]: only the memory that
// reading needs by itself is lent.
func Retain(text string) *Parser {
	p := Borrow(text)
	p.spare, p.kept, p.retains = p.kept, kept{}, true
	return p
}

// Release gives back the memory of a parser that was borrowed. Neither it nor any
// value that it returned may be used any more, unless it retains them; their texts and names may.
func (p *Parser) Release() {
	long, k := len(p.text) > maxHeld, p.kept
	if p.retains {
		k = p.spare
	}
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

func (p *Parser) reset(from int) {
	if p.dec == nil {
		p.dec = jsontext.NewDecoder(bytes.NewReader(nil))
		if p.data == nil {
			p.data = []byte(p.text)
		}
	}
	p.base = from
	p.buf = *bytes.NewBuffer(p.data[from:])
	p.dec.Reset(&p.buf, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// ParseAt reads the value that begins at the offset from and returns where it
// ends. It ignores the text behind the value. The error is an *Error, which may
// have no message and is only good until the next call: a text may hold a million
// beginnings of values that are none.
func (p *Parser) ParseAt(from, maxDepth int) (*Document, int, error) {
	p.members, p.items = p.members[:0], p.items[:0]
	root, ok, err := p.quick(from, maxDepth)
	switch {
	case ok:
		p.kept.docs = append(p.kept.docs, Document{Root: root})
		return &p.kept.docs[len(p.kept.docs)-1], root.End, nil
	case err != nil:
		return nil, 0, err
	}
	return p.thorough(from, maxDepth)
}

// thorough reads by tokens, and notes unusual syntax.
func (p *Parser) thorough(from, maxDepth int) (*Document, int, error) {
	p.reset(from)
	p.doc, p.max, p.path = &Document{}, maxDepth, p.path[:0]
	p.members, p.items = p.members[:0], p.items[:0]
	root, err := p.value(0)
	if err != nil {
		return nil, 0, err
	}
	p.doc.Root = root
	return p.doc, root.End, nil
}

// SkipAt finds the end of the value that begins at the offset from, without
// building it. Where there is none it returns where reading stopped, and false.
func (p *Parser) SkipAt(from int) (end int, ok bool) {
	q := quick{Parser: p, at: skipSpace(p.text, from)}
	p.open, ok = q.skip(p.open[:0])
	return q.at, ok
}

func (p *Parser) offset() int { return p.base + int(p.dec.InputOffset()) }

func (p *Parser) wrap(err error) error {
	if syn, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		msg := strings.TrimPrefix(syn.Err.Error(), "jsontext: ")
		return &Error{p.base + int(syn.ByteOffset), msg, strings.Contains(msg, "maximum nesting depth")}
	}
	return &Error{Offset: len(p.data), Message: "the JSON is cut off"}
}

// pointer renders the path to the value at hand as a JSON Pointer (RFC 6901).
func (p *Parser) pointer() string {
	var b strings.Builder
	for _, t := range p.path {
		b.WriteByte('/')
		if t.index >= 0 {
			b.WriteString(strconv.Itoa(t.index))
		} else {
			b.WriteString(Escape(t.name))
		}
	}
	return b.String()
}

// next reads a token and returns where it starts and ends.
func (p *Parser) next() (tok jsontext.Token, start, end int, err error) {
	before := p.offset()
	if tok, err = p.dec.ReadToken(); err != nil {
		return tok, 0, 0, p.wrap(err)
	}
	return tok, skipPunctuation(p.text, before), p.offset(), nil
}

// string returns the text of a string token. One without escapes is a part of
// the input, and costs nothing.
func (p *Parser) string(tok jsontext.Token, start, end int) string {
	raw := p.text[start:end]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	return tok.String()
}

func (p *Parser) value(depth int) (Value, error) {
	tok, start, end, err := p.next()
	if err != nil {
		return Value{}, err
	}
	v := Value{Start: start, End: end}
	switch k := tok.Kind(); k {
	case '{', '[':
		if depth++; depth > p.max {
			return v, &Error{Offset: start, Message: fmt.Sprintf("nests deeper than %d", p.max), TooDeep: true}
		}
		p.path = append(p.path, token{})
		if v.Kind = Kind(k); k == '{' {
			v.Members, err = p.readMembers(depth)
		} else {
			v.Items, err = p.readItems(depth)
		}
		p.path = p.path[:len(p.path)-1]
		v.End = p.offset()
		return v, err
	case '"':
		v.Kind, v.Text = String, p.string(tok, start, end)
		p.checkSurrogates(start, end)
	case '0':
		v.Kind, v.Text = Number, p.text[start:end]
	case 't', 'f':
		v.Kind, v.Text = Bool, p.text[start:end]
	default:
		v.Kind = Null
	}
	return v, nil
}

func (p *Parser) readMembers(depth int) ([]Member, error) {
	first := len(p.members)
	defer func() { p.members = p.members[:first] }()
	var seen names
	for {
		tok, start, end, err := p.next()
		if err != nil {
			return nil, err
		}
		if tok.Kind() == '}' {
			return slices.Clone(p.members[first:]), nil
		}
		name := p.string(tok, start, end)
		p.path[len(p.path)-1] = token{name, -1}
		p.checkSurrogates(start, end)
		if seen.has(name, p.members[first:]) {
			p.doc.Duplicates = append(p.doc.Duplicates, Place{p.pointer(), name, start})
		}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		p.members = append(p.members, Member{name, start, v})
	}
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

func (p *Parser) readItems(depth int) ([]Value, error) {
	first := len(p.items)
	defer func() { p.items = p.items[:first] }()
	for i := 0; p.dec.PeekKind() != ']'; i++ {
		p.path[len(p.path)-1] = token{"", i}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, v)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.wrap(err)
	}
	return slices.Clone(p.items[first:]), nil
}

// checkSurrogates notes a string whose escapes do not pair up; the decoder
// replaces them silently.
func (p *Parser) checkSurrogates(start, end int) {
	raw := p.data[start:end]
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
			p.doc.Surrogates = append(p.doc.Surrogates, Place{Pointer: p.pointer(), Offset: start + i - 1})
			return
		}
	}
}

func isLowSurrogate(b []byte) bool {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return false
	}
	r := hex4(b[2:])
	return r >= 0xdc00 && r <= 0xdfff
}

func hex4(b []byte) int {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 32)
	return int(n)
}

func skipSpace(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

func skipPunctuation(text string, i int) int {
	i = skipSpace(text, i)
	if i < len(text) && (text[i] == ',' || text[i] == ':') {
		i = skipSpace(text, i+1)
	}
	return i
}
