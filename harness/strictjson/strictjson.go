// Package strictjson decodes JSON into a tree that keeps what encoding/json
// hides: duplicate and case-folded member names, unknown members, escapes of
// lone surrogates, nesting depth, trailing data, and where each value stands.
//
// It is not a way to fill Go structs; for trusted input use a JSON library.
// The grammar is that of github.com/go-json-experiment/json/jsontext.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the type of a JSON value.
type Kind byte

// The kinds.
const (
	Null   Kind = 'n'
	Bool   Kind = 'b'
	Number Kind = '0'
	String Kind = '"'
	Object Kind = '{'
	Array  Kind = '['
)

// String names the kind as people do, with its article.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Object:
		return "an object"
	case Array:
		return "a list"
	}
	return "nothing"
}

// Value is a node of a JSON document. Start and End are byte offsets into the
// parsed bytes.
type Value struct {
	Kind       Kind
	Text       string   // of a string: its text; of a number or boolean: its literal
	Members    []Member // of an object, in order, duplicates included
	Items      []Value  // of an array
	Start, End int
}

// Member is a named value of an object; At is the byte offset of its name.
type Member struct {
	Name  string
	At    int
	Value Value
}

// Get returns the last member of that very name, as encoding/json would, or nil.
func (v *Value) Get(name string) *Value {
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Name == name {
			return &v.Members[i].Value
		}
	}
	return nil
}

// Document is a parsed value and what is wrong with it although it is
// well-formed.
type Document struct {
	Root Value
	// Duplicates are the members whose name stood in their object before.
	Duplicates []Place
	// Surrogates are the strings and names with an escape of a lone surrogate.
	Surrogates []Place
}

// Place is a position in a document: a JSON Pointer and a byte offset.
type Place struct {
	Pointer string
	Name    string // the member's name, for a duplicate
	Offset  int
}

// Error says why bytes are no JSON value. Offset is where reading stopped.
type Error struct {
	Offset  int
	Message string
	TooDeep bool // the value is not malformed, but nests deeper than allowed
}

func (e *Error) Error() string { return e.Message }

// Parse reads data, which must hold exactly one JSON value nested at most
// maxDepth deep ({} is 1). The error is an *Error.
func Parse(data []byte, maxDepth int) (*Document, error) {
	p := NewParser(string(data))
	p.data = data
	start := skipSpace(p.text, 0)
	if start == len(data) {
		return nil, &Error{Offset: start, Message: "the input is empty"}
	}
	doc, end, err := p.ParseAt(start, maxDepth)
	if err != nil {
		return nil, err
	}
	if end = skipSpace(p.text, end); end < len(data) {
		return nil, &Error{Offset: end, Message: "data stands behind the JSON value"}
	}
	return doc, nil
}

// Parser reads values that stand anywhere in a text.
type Parser struct {
	text string
	data []byte // the same, once the decoder is needed
	dec  *jsontext.Decoder
	buf  bytes.Buffer
	base int
	doc  *Document
	max  int
	path []token // from the root to the value at hand

	// Members and items of the containers that are open; those of a container
	// are copied out when it closes, so that each is one exact allocation.
	members []Member
	items   []Value
}

// token is a step from a value to one inside it.
type token struct {
	name  string
	index int // -1 for a name
}

// NewParser returns a parser for a text, which must be valid UTF-8.
func NewParser(text string) *Parser {
	return &Parser{text: text, members: make([]Member, 0, 8), items: make([]Value, 0, 8)}
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

// ParseAt reads the value that begins at the offset from and tells where it
// ends. What stands behind it is not looked at.
func (p *Parser) ParseAt(from, maxDepth int) (*Document, int, error) {
	p.members, p.items = p.members[:0], p.items[:0]
	if root, ok := p.quick(from, maxDepth); ok {
		return &Document{Root: root}, root.End, nil
	}
	return p.thorough(from, maxDepth)
}

// thorough reads by tokens, and notes what is odd.
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
// building it.
func (p *Parser) SkipAt(from int) (int, error) {
	p.reset(from)
	if err := p.dec.SkipValue(); err != nil {
		return 0, p.wrap(err)
	}
	return p.offset(), nil
}

func (p *Parser) offset() int { return p.base + int(p.dec.InputOffset()) }

func (p *Parser) wrap(err error) error {
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
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

// Escape makes a member name a token of a JSON Pointer.
func Escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// next reads a token and tells where it starts and ends.
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
		return slices.ContainsFunc(before, func(m Member) bool { return m.Name == name })
	}
	if *n == nil {
		*n = make(names)
		for _, m := range before {
			(*n)[m.Name] = true
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

// Position turns a byte offset into a line and a column, both from 1; columns
// count characters.
func Position(data []byte, offset int) (line, column int) {
	offset = min(offset, len(data))
	line = 1 + bytes.Count(data[:offset], []byte{'\n'})
	start := 1 + bytes.LastIndexByte(data[:offset], '\n')
	return line, 1 + utf8.RuneCount(data[start:offset])
}

// At returns the value that a JSON Pointer (RFC 6901) names below v, or nil.
func (v *Value) At(pointer string) *Value {
	for pointer != "" && v != nil {
		token := pointer[1:]
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, pointer = token[:i], token[i:]
		} else {
			pointer = ""
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if v.Kind == Array {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items) {
				return nil
			}
			v = &v.Items[i]
			continue
		}
		v = v.Get(token)
	}
	return v
}

// Same reports whether two values are the same JSON: members in any order, of
// duplicates the last, numbers by their values.
func Same(a, b *Value) bool {
	if a == nil || b == nil || a.Kind != b.Kind {
		return a == b
	}
	switch a.Kind {
	case Object:
		x, y := a.byName(), b.byName()
		for name, v := range x {
			if !Same(v, y[name]) {
				return false
			}
		}
		return len(x) == len(y)
	case Array:
		return slices.EqualFunc(a.Items, b.Items, func(x, y Value) bool { return Same(&x, &y) })
	case Number:
		return sameNumber(a.Text, b.Text)
	}
	return a.Text == b.Text
}

// sameNumber compares two literals. Engines may write 1.0 as 1; but where a
// double cannot tell neighbours apart, only the same digits are the same number.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y && math.Abs(x) < 1<<53
}

// Counting yields the members of an object that count: of a name that stands
// twice the last.
func (v *Value) Counting() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		last := v.byName()
		for i := range v.Members {
			m := &v.Members[i]
			if last[m.Name] == &m.Value && !yield(m.Name, &m.Value) {
				return
			}
		}
	}
}

// byName maps names to values, of duplicates to the last.
func (v *Value) byName() map[string]*Value {
	m := make(map[string]*Value, len(v.Members))
	for i := range v.Members {
		m[v.Members[i].Name] = &v.Members[i].Value
	}
	return m
}

// AppendJSON appends the value as compact JSON, of duplicate members the last.
func (v *Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Object:
		dst = append(dst, '{')
		first := len(dst)
		for name, m := range v.Counting() {
			if len(dst) > first {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, name)
			dst = m.AppendJSON(append(dst, ':'))
		}
		return append(dst, '}')
	case Array:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Items[i].AppendJSON(dst)
		}
		return append(dst, ']')
	case String:
		dst, _ = jsontext.AppendQuote(dst, v.Text)
		return dst
	case Null:
		return append(dst, "null"...)
	}
	return append(dst, v.Text...)
}
