package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// oracle reads a value token by token with the decoder of jsontext.
type oracle struct {
	text string
	data []byte
	dec  *jsontext.Decoder
	doc  *Document
	max  int
	path []token // from the root to the value at hand
}

// token is a step from a value to one inside it.
type token struct {
	name  string
	index int // -1 for a name
}

func newOracle(text string) *oracle {
	dec := jsontext.NewDecoder(bytes.NewReader([]byte(text)), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	return &oracle{text: text, data: []byte(text), dec: dec}
}

// read reads the value with which the text begins.
func (p *oracle) read(maxDepth int) (*Document, int, error) {
	p.doc, p.max = &Document{}, maxDepth
	root, err := p.value(0)
	if err != nil {
		return nil, 0, err
	}
	p.doc.Root = root
	return p.doc, root.End, nil
}

func (p *oracle) offset() int { return int(p.dec.InputOffset()) }

func (p *oracle) wrap(err error) error {
	if syn, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		msg := Syntax(syn)
		return &Error{int(syn.ByteOffset), msg, strings.Contains(msg, "maximum nesting depth")}
	}
	return &Error{Offset: len(p.data), Message: "the JSON is cut off"}
}

// pointer renders the path to the value at hand as a JSON Pointer (RFC 6901).
func (p *oracle) pointer() string {
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
func (p *oracle) next() (tok jsontext.Token, start, end int, err error) {
	before := p.offset()
	if tok, err = p.dec.ReadToken(); err != nil {
		return tok, 0, 0, p.wrap(err)
	}
	return tok, skipPunctuation(p.text, before), p.offset(), nil
}

// string returns the text of a string token. One without escapes is a part of
// the input, and costs nothing.
func (p *oracle) string(tok jsontext.Token, start, end int) string {
	raw := p.text[start:end]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	return tok.String()
}

func (p *oracle) value(depth int) (Value, error) {
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

func (p *oracle) readMembers(depth int) (list []Member, _ error) {
	var seen []string
	for list = []Member{}; ; {
		tok, start, end, err := p.next()
		if err != nil {
			return nil, err
		}
		if tok.Kind() == '}' {
			return list, nil
		}
		name := p.string(tok, start, end)
		p.path[len(p.path)-1] = token{name, -1}
		p.checkSurrogates(start, end)
		if slices.Contains(seen, name) {
			p.doc.Duplicates = append(p.doc.Duplicates, Place{p.pointer(), name, start})
		}
		seen = append(seen, name)
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, Member{name, start, v})
	}
}

func (p *oracle) readItems(depth int) (list []Value, _ error) {
	list = []Value{}
	for i := 0; p.dec.PeekKind() != ']'; i++ {
		p.path[len(p.path)-1] = token{"", i}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.wrap(err)
	}
	return list, nil
}

// checkSurrogates notes a string whose escapes do not pair up; the decoder
// replaces them silently.
func (p *oracle) checkSurrogates(start, end int) {
	raw := p.data[start:end]
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch r := hex4(string(raw[i+1:])); {
		case r < 0xd800 || r > 0xdfff:
			i += 4
		case r < 0xdc00 && isLowSurrogate(string(raw[i+5:])):
			i += 10
		default:
			p.doc.Surrogates = append(p.doc.Surrogates, Place{Pointer: p.pointer(), Offset: start + i - 1})
			return
		}
	}
}

func skipPunctuation(text string, i int) int {
	i = skipSpace(text, i)
	if i < len(text) && (text[i] == ',' || text[i] == ':') {
		i = skipSpace(text, i+1)
	}
	return i
}
