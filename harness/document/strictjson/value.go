package strictjson

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
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
// No value has no members.
func (v *Value) Get(name string) *Value {
	if v == nil {
		return nil
	}
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Name == name {
			return &v.Members[i].Value
		}
	}
	return nil
}

// Given returns the member of that name unless it is absent or null.
func (v *Value) Given(name string) *Value {
	if m := v.Get(name); m != nil && m.Kind != Null {
		return m
	}
	return nil
}

// Str returns the text of a string; "" of anything else, or of no value.
func (v *Value) Str() string {
	if v == nil || v.Kind != String {
		return ""
	}
	return v.Text
}

// List returns the items of a list, any other value as a list of one, and nothing
// of null or no value.
func (v *Value) List() []Value {
	switch {
	case v == nil || v.Kind == Null:
		return nil
	case v.Kind == Array:
		return v.Items
	}
	return []Value{*v}
}

// IsStrings reports whether the value is a list of strings.
func (v *Value) IsStrings() bool {
	return v != nil && v.Kind == Array && !slices.ContainsFunc(v.Items,
		func(item Value) bool { return item.Kind != String })
}

// Strings returns a list of strings; false if the value is something else.
func (v *Value) Strings() ([]string, bool) {
	if !v.IsStrings() {
		return nil, false
	}
	list := make([]string, len(v.Items))
	for i := range v.Items {
		list[i] = v.Items[i].Text
	}
	return list, true
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
		if strings.IndexByte(token, '~') >= 0 {
			token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		}
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

// Counted returns the members of an object that count: of a name that occurs twice the last.
func (v *Value) Counted() []Member {
	var seen names
	for i := range v.Members {
		if seen.has(v.Members[i].Name, v.Members[:i]) {
			return v.lastMembers()
		}
	}
	return v.Members
}

// lastMembers returns the last member of each name.
func (v *Value) lastMembers() (list []Member) {
	last := map[string]int{}
	for i := range v.Members {
		last[v.Members[i].Name] = i
	}
	for i := range v.Members {
		if last[v.Members[i].Name] == i {
			list = append(list, v.Members[i])
		}
	}
	return list
}

// fewMembers is the size of an object up to which [Value.Get] takes less time than a map.
const fewMembers = 16

// names maps the names of a large object to values, of duplicates to the last; nil for a small object.
func (v *Value) names() map[string]*Value {
	if len(v.Members) <= fewMembers {
		return nil
	}
	m := make(map[string]*Value, len(v.Members))
	for i := range v.Members {
		m[v.Members[i].Name] = &v.Members[i].Value
	}
	return m
}

// find is Get with the names of v.
func (v *Value) find(names map[string]*Value, name string) *Value {
	if names == nil {
		return v.Get(name)
	}
	return names[name]
}

// Same reports whether two values are the same JSON: members in any order, of
// duplicates the last, numbers by their values.
func Same(a, b *Value) bool {
	if a == nil || b == nil || a.Kind != b.Kind {
		return a == b
	}
	switch a.Kind {
	case Object:
		names, members := b.names(), a.Counted()
		for i := range members {
			if !Same(&members[i].Value, b.find(names, members[i].Name)) {
				return false
			}
		}
		return len(members) == len(b.Counted())
	case Array:
		return slices.EqualFunc(a.Items, b.Items, func(x, y Value) bool { return Same(&x, &y) })
	case Number:
		return sameNumber(a.Text, b.Text)
	}
	return a.Text == b.Text
}

// sameNumber compares two literals. Engines may write 1.0 as 1. But numbers that a double
// cannot hold exactly are equal only if their digits are.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y && math.Abs(x) < 1<<53
}

// AppendJSON appends the value as compact JSON, of duplicate members the last.
func (v *Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Object:
		dst = append(dst, '{')
		members := v.Counted()
		for i := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendQuote(dst, members[i].Name)
			dst = members[i].Value.AppendJSON(append(dst, ':'))
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
		return AppendQuote(dst, v.Text)
	case Null:
		return append(dst, "null"...)
	}
	return append(dst, v.Text...)
}

// appendRaw appends the value as it was written, compact. data is what it was parsed from.
func (v *Value) appendRaw(raw, data []byte) []byte {
	text, from := data[v.Start:v.End], 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case ' ', '\t', '\n', '\r':
			raw = append(raw, text[from:i]...)
			from = i + 1
		}
	}
	return append(raw, text[from:]...)
}

// Escape makes a member name a token of a JSON Pointer.
func Escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// Equal reports whether two documents are the same JSON, whatever their layout;
// none equals only none.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	const maxDepth = 1000
	p, q := Borrow(string(a)), Borrow(string(b))
	defer p.Release()
	defer q.Release()
	x, errX := p.All(maxDepth)
	y, errY := q.All(maxDepth)
	return errX == nil && errY == nil && Same(&x.Root, &y.Root)
}
