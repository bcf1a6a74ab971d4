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
	p := NewParser(data)
	start := skipSpace(data, 0)
	if start == len(data) {
		return nil, &Error{Offset: start, Message: "the input is empty"}
	}
	doc, end, err := p.ParseAt(start, maxDepth)
	if err != nil {
		return nil, err
	}
	if end = skipSpace(data, end); end < len(data) {
		return nil, &Error{Offset: end, Message: "data stands behind the JSON value"}
	}
	return doc, nil
}

// Parser reads values that stand anywhere in some bytes.
type Parser struct {
	data []byte
	dec  *jsontext.Decoder
	buf  bytes.Buffer
	base int
	doc  *Document
	max  int
}

// NewParser returns a parser for data, which must be valid UTF-8.
func NewParser(data []byte) *Parser {
	return &Parser{data: data, dec: jsontext.NewDecoder(bytes.NewReader(nil))}
}

func (p *Parser) reset(from int) {
	p.base = from
	p.buf = *bytes.NewBuffer(p.data[from:])
	p.dec.Reset(&p.buf, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// ParseAt reads the value that begins at the offset from and tells where it
// ends. What stands behind it is not looked at.
func (p *Parser) ParseAt(from, maxDepth int) (*Document, int, error) {
	p.reset(from)
	p.doc, p.max = &Document{}, maxDepth
	if err := p.value(&p.doc.Root, nil, 0); err != nil {
		return nil, 0, err
	}
	return p.doc, p.doc.Root.End, nil
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
		if strings.Contains(msg, "maximum nesting depth") {
			return &Error{Offset: p.base + int(syn.ByteOffset), Message: msg, TooDeep: true}
		}
		return &Error{Offset: p.base + int(syn.ByteOffset), Message: msg}
	}
	return &Error{Offset: len(p.data), Message: "the JSON is cut off"}
}

// path is the chain of names and indices from a value up to the root.
type path struct {
	up    *path
	name  string
	index int // -1 for a name
}

// pointer renders the chain as a JSON Pointer (RFC 6901).
func (p *path) pointer() string {
	if p == nil {
		return ""
	}
	if p.index >= 0 {
		return p.up.pointer() + "/" + strconv.Itoa(p.index)
	}
	return p.up.pointer() + "/" + Escape(p.name)
}

// Escape makes a member name a token of a JSON Pointer.
func Escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func (p *Parser) value(v *Value, at *path, depth int) error {
	prev := p.offset()
	tok, err := p.dec.ReadToken()
	if err != nil {
		return p.wrap(err)
	}
	v.End = p.offset()
	v.Start = skipPunctuation(p.data, prev)
	switch k := tok.Kind(); k {
	case '{', '[':
		if depth++; depth > p.max {
			return &Error{Offset: v.Start, Message: fmt.Sprintf("nests deeper than %d", p.max), TooDeep: true}
		}
		if v.Kind = Kind(k); k == '{' {
			err = p.members(v, at, depth)
		} else {
			err = p.items(v, at, depth)
		}
		v.End = p.offset()
		return err
	case '"':
		v.Kind, v.Text = String, tok.String()
		p.checkSurrogates(v.Start, v.End, at)
	case '0':
		v.Kind, v.Text = Number, tok.String()
	case 't', 'f':
		v.Kind, v.Text = Bool, tok.String()
	default:
		v.Kind = Null
	}
	return nil
}

func (p *Parser) members(v *Value, at *path, depth int) error {
	var seen map[string]bool // only for large objects
	for {
		prev := p.offset()
		tok, err := p.dec.ReadToken()
		if err != nil {
			return p.wrap(err)
		}
		if tok.Kind() == '}' {
			return nil
		}
		name := tok.String()
		step := &path{at, name, -1}
		start := skipPunctuation(p.data, prev)
		p.checkSurrogates(start, p.offset(), step)
		if seen == nil && len(v.Members) == 16 {
			seen = make(map[string]bool)
			for _, m := range v.Members {
				seen[m.Name] = true
			}
		}
		if seen[name] || seen == nil && v.Get(name) != nil {
			p.doc.Duplicates = append(p.doc.Duplicates, Place{step.pointer(), name, start})
		} else if seen != nil {
			seen[name] = true
		}
		v.Members = append(v.Members, Member{Name: name, At: start})
		if err := p.value(&v.Members[len(v.Members)-1].Value, step, depth); err != nil {
			return err
		}
	}
}

func (p *Parser) items(v *Value, at *path, depth int) error {
	for p.dec.PeekKind() != ']' {
		v.Items = append(v.Items, Value{})
		step := &path{at, "", len(v.Items) - 1}
		if err := p.value(&v.Items[len(v.Items)-1], step, depth); err != nil {
			return err
		}
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return p.wrap(err)
	}
	return nil
}

// checkSurrogates notes a string whose escapes do not pair up; the decoder has
// replaced them silently.
func (p *Parser) checkSurrogates(start, end int, at *path) {
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
			p.doc.Surrogates = append(p.doc.Surrogates, Place{Pointer: at.pointer(), Offset: start + i - 1})
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

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

func skipPunctuation(data []byte, i int) int {
	i = skipSpace(data, i)
	if i < len(data) && (data[i] == ',' || data[i] == ':') {
		i = skipSpace(data, i+1)
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
