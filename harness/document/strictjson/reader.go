package strictjson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Code is the kind of a fault.
type Code string

// The faults that a [Reader] finds by itself.
const (
	codeNoDocument   Code = "no_document"
	codeInvalidUTF8  Code = "invalid_utf8"
	codeTooDeep      Code = "too_deep"
	codeDuplicateKey Code = "duplicate_key"
	codeExtraField   Code = "extra_field"
	CodeMissingField Code = "missing_field"
	CodeBadType      Code = "bad_type"
	CodeEmptyID      Code = "empty_id"
)

// Fault is a mistake in a document, with its place.
type Fault struct {
	Document string // its name; "" if it needs none
	Code     Code
	Pointer  string // JSON Pointer to the value to blame
	Offset   int    // byte offset; 0 where the pointer is enough to find the value
	Message  string
}

func (f *Fault) Error() string {
	if at := f.Document + f.Pointer; at != "" {
		return at + ": " + f.Message
	}
	return f.Message
}

// Path is the place of a value. It is built only where it is asked for:
// most values have no fault.
type Path struct {
	base   string // JSON Pointer
	item   int    // of the list there, from 1; 0 is the list itself
	member string // of that value
	named  bool   // it is the member
}

// PathTo returns the path that a JSON Pointer names; "" is the document.
func PathTo(pointer string) Path { return Path{base: pointer} }

// Item is the path of an item of the list at the path.
func (p Path) Item(i int) Path {
	if p.item > 0 || p.named {
		p.base = p.String()
	}
	return Path{base: p.base, item: i + 1}
}

// Member is the path of a member of the object at the path.
func (p Path) Member(name string) Path {
	if p.named {
		p = Path{base: p.String()}
	}
	p.member, p.named = name, true
	return p
}

// String is the path as a JSON Pointer.
func (p Path) String() string {
	s := p.base
	if p.item > 0 {
		s += "/" + strconv.Itoa(p.item-1)
	}
	if p.named {
		s += "/" + Escape(p.member)
	}
	return s
}

// Reader reads the members of documents and keeps the first fault. What it
// returns behind a fault means nothing.
type Reader struct {
	Document string // the name of the document for messages; may be ""
	Fault    *Fault
	Parser   *Parser   // of the very text that is parsed; nil is a new one
	Parsed   *Document // that very text, if it was parsed before
	arena    []string  // lists of strings are cut from it
	bytes    []byte    // raw values are cut from it
}

// Fail notes a fault.
func (r *Reader) Fail(code Code, at Path, format string, args ...any) {
	if r.Fault == nil {
		r.failAt(code, Place{Pointer: at.String()}, format, args...)
	}
}

func (r *Reader) failAt(code Code, p Place, format string, args ...any) {
	if r.Fault == nil {
		r.Fault = &Fault{
			Document: r.Document, Code: code, Pointer: p.Pointer, Offset: p.Offset,
			Message: fmt.Sprintf(format, args...),
		}
	}
}

// Parse reads a whole document, with no duplicate members and no half characters;
// nil if it is malformed. The message of a document with a name says in which
// line it is.
func (r *Reader) Parse(data []byte, maxDepth int) *Value {
	if i := InvalidUTF8(data); i >= 0 {
		r.failAt(codeInvalidUTF8, Place{Offset: i}, "the byte 0x%02x is not UTF-8", data[i])
		return nil
	}
	doc, err := r.Parsed, error(nil)
	switch {
	case doc != nil:
	case r.Parser != nil:
		doc, err = r.Parser.All(maxDepth)
	default:
		doc, err = Parse(data, maxDepth)
	}
	if err != nil {
		e, code, where := err.(*Error), codeNoDocument, ""
		if e.TooDeep {
			code = codeTooDeep
		}
		if r.Document != "" {
			line, column := Position(string(data), e.Offset)
			where = fmt.Sprintf("line %d, column %d: ", line, column)
		}
		r.failAt(code, Place{Offset: e.Offset}, "%s%s", where, e.Message)
		return nil
	}
	for _, p := range doc.Duplicates {
		r.failAt(codeDuplicateKey, p, "duplicate member %q", p.Name)
	}
	for _, p := range doc.Surrogates {
		r.failAt(codeInvalidUTF8, p, "holds the escape of a lone surrogate")
	}
	return &doc.Root
}

// Is reports whether a value is of a kind, and faults it if it is not; name is
// what the message calls it.
func (r *Reader) Is(v *Value, kind Kind, at Path, name string) bool {
	if v.Kind == kind {
		return true
	}
	r.Fail(CodeBadType, at, "%s must be %s, not %s", name, kind, v.Kind)
	return false
}

// Known reports a fault for every member of an object that has no known name. Messages call
// the object what.
func (r *Reader) Known(v *Value, at Path, what string, names ...string) {
	for i := range v.Members {
		if name := v.Members[i].Name; !slices.Contains(names, name) {
			r.Fail(codeExtraField, at.Member(name), "%s has no member %q (only %s)", what, name, strings.Join(names, ", "))
		}
	}
}

// Member returns a member of a kind, or nil. One that is required must be there;
// others may be absent or null.
func (r *Reader) Member(v *Value, at Path, name string, kind Kind, required bool) *Value {
	m := v.Get(name)
	switch {
	case m == nil && required:
		r.Fail(CodeMissingField, at, "the member %q is missing", name)
	case m == nil || m.Kind == Null && !required:
	case m.Kind != kind:
		r.Fail(CodeBadType, at.Member(name), "%s must be %s, not %s", name, kind, m.Kind)
	default:
		return m
	}
	return nil
}

// Text returns the text of a string member, and whether there is one.
func (r *Reader) Text(v *Value, at Path, name string, required bool) (string, bool) {
	if m := r.Member(v, at, name, String, required); m != nil {
		return m.Text, true
	}
	return "", false
}

// Items returns the items of an optional list.
func (r *Reader) Items(v *Value, at Path, name string) []Value {
	if m := r.Member(v, at, name, Array, false); m != nil {
		return m.Items
	}
	return nil
}

// ID returns the text of a required string member that is not blank.
func (r *Reader) ID(v *Value, at Path, name string) string {
	id, ok := r.Text(v, at, name, true)
	if ok && strings.TrimSpace(id) == "" {
		r.Fail(CodeEmptyID, at.Member(name), "the id is blank")
	}
	return id
}

// Texts returns an optional list of strings; nil if it is absent or null.
func (r *Reader) Texts(v *Value, at Path, name string) []string { return r.texts(v, at, name, false) }

// IDs returns an optional list of strings that are not blank.
func (r *Reader) IDs(v *Value, at Path, name string) []string { return r.texts(v, at, name, true) }

// list returns a list of n strings. One for each list of a plan would be most of what reading
// it allocates.
func (r *Reader) list(n int) []string {
	if n == 0 {
		return []string{}
	}
	return cut(&r.arena, n, 16)
}

// cut takes n items off the front of a list. If it has fewer, it is made again, with so many.
func cut[T any](list *[]T, n, many int) []T {
	if len(*list) < n {
		*list = make([]T, max(n, many))
	}
	taken := (*list)[:n:n]
	*list = (*list)[n:]
	return taken
}

func (r *Reader) texts(v *Value, at Path, name string, ids bool) []string {
	m := r.Member(v, at, name, Array, false)
	if m == nil {
		return nil
	}
	list := r.list(len(m.Items))
	for i := range m.Items {
		list[i] = m.Items[i].Text
		switch {
		case m.Items[i].Kind != String:
			r.Is(&m.Items[i], String, at.Member(name).Item(i), "an item of "+name)
		case ids && strings.TrimSpace(list[i]) == "":
			r.Fail(CodeEmptyID, at.Member(name).Item(i), "the id is blank")
		}
	}
	return list
}

// Raw returns the value as it was written, compact. data is what it was parsed from.
func (r *Reader) Raw(v *Value, data []byte) jsontext.Value {
	return v.appendRaw(r.room(v.End-v.Start, len(data)-v.Start), data)
}

// Rest returns an object with the members of the object that are not known; nil if there are none.
func (r *Reader) Rest(v *Value, data []byte, known func(*Member) bool) jsontext.Value {
	var b []byte
	for i := range v.Members {
		m := &v.Members[i]
		if known(m) {
			continue
		}
		if b == nil {
			b = r.room(v.End-m.At+1, len(data)-m.At)
		}
		b = append(b, "{,"[min(len(b), 1)])
		b = AppendQuote(b, m.Name)
		b = m.Value.appendRaw(append(b, ':'), data)
	}
	if b == nil {
		return nil
	}
	return append(b, '}')
}

// room takes room for n bytes, and makes more of it for the rest of the document.
func (r *Reader) room(n, rest int) []byte { return cut(&r.bytes, n, min(rest, 2<<10))[:0] }
