package strictjson

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Node is a JSON value that can be changed and written again. Names and scalars
// stay as they were written: an odd escape may be what matters about a text.
type Node struct {
	Kind Kind
	Name string // of a member, in quotes
	Raw  string // of a scalar
	Kids []Node // members of an object, items of an array
}

// NewTree makes a tree of a text that is one JSON value; nil if it is none.
func NewTree(text string, maxDepth int) *Node {
	p := Borrow(text)
	defer p.Release()
	doc, err := p.All(maxDepth)
	if err != nil {
		return nil
	}
	return doc.Root.Tree(text)
}

// Tree makes a tree of a value that was parsed from the text.
func (v *Value) Tree(text string) *Node {
	n := v.node(text)
	return &n
}

func (v *Value) node(text string) Node {
	n := Node{Kind: v.Kind}
	switch v.Kind {
	case Object:
		n.Kids = make([]Node, len(v.Members))
		for i := range v.Members {
			m := &v.Members[i]
			n.Kids[i] = m.Value.node(text)
			n.Kids[i].Name = text[m.At : m.At+strings.LastIndexByte(text[m.At:m.Value.Start], '"')+1]
		}
	case Array:
		n.Kids = make([]Node, len(v.Items))
		for i := range v.Items {
			n.Kids[i] = v.Items[i].node(text)
		}
	default:
		n.Raw = text[v.Start:v.End]
	}
	return n
}

// Indent writes a value for people to read, with the members of maps sorted and a final newline.
func Indent(v any) ([]byte, error) {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
	return append(data, '\n'), err
}

// Encode writes a value that always has a JSON form, with the members of maps sorted. It panics for another one. In
// texts, bytes that are not UTF-8 become U+FFFD.
func Encode(v any) jsontext.Value {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("strictjson: the value does not encode: " + err.Error())
	}
	return data
}

// Texts returns an object with the members whose texts are not ""; nil if there are none. The arguments are
// names that need no escapes, each with its text.
func Texts(members ...string) jsontext.Value {
	var b []byte
	for i := 0; i < len(members); i += 2 {
		if name, text := members[i], members[i+1]; text != "" {
			b = slices.Grow(b, len(`{"":""}`)+len(name)+len(text))
			b = append(append(append(b, "{,"[min(len(b), 1)], '"'), name...), `":`...)
			b = AppendQuote(b, text)
		}
	}
	if b == nil {
		return nil
	}
	return append(b, '}')
}

// Quote returns a text as JSON.
func Quote(text string) string { return string(AppendQuote(make([]byte, 0, 64), text)) }

// AppendQuote appends a text as JSON. Bytes that are not UTF-8 become U+FFFD.
func AppendQuote(b []byte, text string) []byte {
	if !isPlain(text) && (plainEnd(text, 0) < len(text) || !utf8.ValidString(text)) {
		b, _ = jsontext.AppendQuote(b, text) // a few times as slow
		return b
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// isPlain reports whether a text is short ASCII without escapes, as most are: for these, a look at each byte takes half
// of the time.
func isPlain(text string) bool {
	const short = 64 // bytes
	if len(text) > short {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return strings.Trim(raw, `"`)
	}
	b, _ := jsontext.AppendUnquote(nil, raw)
	return string(b)
}

// Text is the text of a string; "" for other values.
func (n *Node) Text() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return unquote(n.Raw)
}

// Key is the name of a member without its quotes.
func (n *Node) Key() string { return unquote(n.Name) }

// Get returns the last member of that name, or nil.
func (n *Node) Get(name string) *Node {
	for i := range slices.Backward(n.Kids) {
		if n.Kind == Object && n.Kids[i].Key() == name {
			return &n.Kids[i]
		}
	}
	return nil
}

// Set gives a member a value, and adds the member if it is not there.
func (n *Node) Set(name string, v Node) {
	v.Name = Quote(name)
	if m := n.Get(name); m != nil {
		*m = v
		return
	}
	n.Kids = append(n.Kids, v)
}

// Append adds items to a list.
func (n *Node) Append(items ...Node) {
	for _, item := range items {
		item.Name = ""
		n.Kids = append(n.Kids, item)
	}
}

// Drop takes away the members or items for which gone is true, and reports
// whether there were any.
func (n *Node) Drop(gone func(*Node) bool) bool {
	before := n.Kids
	n.Kids = slices.DeleteFunc(slices.Clone(before), func(k Node) bool { return gone(&k) })
	return len(n.Kids) < len(before)
}

// Walk calls f with the value and all values in it, each with the chain of
// member names above it, which is good during the call. What f does to a value's kids counts.
func (n *Node) Walk(f func(n *Node, at []string)) { n.walk(make([]string, 0, 8), f) }

func (n *Node) walk(at []string, f func(n *Node, at []string)) {
	f(n, at)
	for i := range n.Kids {
		k, below := &n.Kids[i], at
		if k.Name != "" {
			below = append(at, k.Key())
		}
		k.walk(below, f)
	}
}

// String writes the tree, without white space.
func (n *Node) String() string { return string(n.AppendJSON(nil, "", "")) }

// AppendJSON writes the tree, with one white space before every member and item
// and another before every closing bracket.
func (n *Node) AppendJSON(b []byte, before, closing string) []byte {
	if n.Kind != Object && n.Kind != Array {
		return append(b, n.Raw...)
	}
	b = append(b, byte(n.Kind))
	for i := range n.Kids {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, before...)
		if n.Kids[i].Name != "" {
			b = append(append(b, n.Kids[i].Name...), ':')
		}
		b = n.Kids[i].AppendJSON(b, before, closing)
	}
	return append(append(b, closing...), byte(n.Kind)+2) // as ASCII has it
}
