package history

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// maxDepth bounds the nesting of a history's JSON.
const maxDepth = 1000

// InputError says what is wrong with the messages, budget or policy of a case.
type InputError struct {
	Document string       // messages, budget or policy
	Pointer  string       // JSON Pointer into it
	Offset   int          // byte offset into it
	Code     harness.Code // the code that it leads to
	Message  string
}

func (e *InputError) Error() string {
	return e.Document + e.Pointer + ": " + e.Message
}

// Decode reads the JSON of a history's messages; the package comment describes
// its form. The error is an *InputError.
func Decode(data []byte) ([]Message, error) {
	r, root, err := newReader("messages", data)
	if err != nil {
		return nil, err
	}
	messages := r.messages(root)
	if r.err != nil {
		return nil, r.err
	}
	return messages, nil
}

// reader decodes a document and keeps the first error.
type reader struct {
	document string
	data     []byte
	err      *InputError
}

func newReader(document string, data []byte) (*reader, *strictjson.Value, error) {
	r := &reader{document: document, data: data}
	if !utf8.Valid(data) {
		r.refuse("", 0, harness.InvalidUTF8, "holds bytes that are not UTF-8")
		return nil, nil, r.err
	}
	doc, err := strictjson.Parse(data, maxDepth)
	if err != nil {
		e := err.(*strictjson.Error)
		line, column := strictjson.Position(data, e.Offset)
		code := harness.NoDocument
		if e.TooDeep {
			code = harness.TooDeep
		}
		r.refuse("", e.Offset, code, "line %d, column %d: %s", line, column, e.Message)
		return nil, nil, r.err
	}
	for _, p := range doc.Duplicates {
		r.refuse(p.Pointer, p.Offset, harness.DuplicateKey, "the member %q stands twice", p.Name)
	}
	for _, p := range doc.Surrogates {
		r.refuse(p.Pointer, p.Offset, harness.InvalidUTF8, "holds the escape of a lone surrogate")
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	return r, &doc.Root, nil
}

func (r *reader) fail(v *strictjson.Value, at string, code harness.Code, format string, args ...any) {
	r.refuse(at, v.Start, code, format, args...)
}

// refuse keeps the first error.
func (r *reader) refuse(at string, offset int, code harness.Code, format string, args ...any) {
	if r.err == nil {
		r.err = &InputError{Document: r.document, Pointer: at, Offset: offset, Code: code, Message: fmt.Sprintf(format, args...)}
	}
}

func (r *reader) messages(v *strictjson.Value) []Message {
	if v.Kind != strictjson.Array {
		r.fail(v, "", harness.BadType, "a history is a list of messages, not %s", v.Kind)
		return nil
	}
	messages := make([]Message, len(v.Items))
	for i := range v.Items {
		r.message(&messages[i], &v.Items[i], fmt.Sprintf("/%d", i))
	}
	return messages
}

func (r *reader) message(m *Message, v *strictjson.Value, at string) {
	if v.Kind != strictjson.Object {
		r.fail(v, at, harness.BadType, "a message is an object, not %s", v.Kind)
		return
	}
	m.Role = Role(r.text(v, at, "role", true))
	if m.Role == "developer" { // what newer models call it
		m.Role = System
	}
	if !slices.Contains([]Role{System, User, Assistant, Tool}, m.Role) {
		role := v.Get("role")
		if role == nil {
			role = v
		}
		r.fail(role, at+"/role", harness.BadType, "%q is no role (use system, user, assistant or tool)", m.Role)
	}
	m.Content = r.content(v.Get("content"), at+"/content")
	m.Tag = r.text(v, at, "tag", false)
	m.Calls = r.calls(v.Get("tool_calls"), m.Role, at+"/tool_calls")
	m.CallID = r.text(v, at, "tool_call_id", m.Role == Tool)
	if m.CallID != "" && m.Role != Tool {
		r.fail(v.Get("tool_call_id"), at+"/tool_call_id", harness.ExtraField, "only a tool message has a tool_call_id")
	}
	m.Extra = r.extra(v)
}

func (r *reader) text(v *strictjson.Value, at, name string, required bool) string {
	m := v.Get(name)
	switch {
	case m == nil && required:
		r.fail(v, at, harness.MissingField, "the member %q is missing", name)
	case m == nil || m.Kind == strictjson.Null && !required:
	case m.Kind != strictjson.String:
		r.fail(m, at+"/"+name, harness.BadType, "%s is a string, not %s", name, m.Kind)
	default:
		return m.Text
	}
	return ""
}

// content reads a string, null, or a list of text parts.
func (r *reader) content(v *strictjson.Value, at string) string {
	switch {
	case v == nil || v.Kind == strictjson.Null:
		return ""
	case v.Kind == strictjson.String:
		return v.Text
	case v.Kind != strictjson.Array:
		r.fail(v, at, harness.BadType, "content is a string, null or a list of text parts, not %s", v.Kind)
		return ""
	}
	var b strings.Builder
	for i := range v.Items {
		part, here := &v.Items[i], fmt.Sprintf("%s/%d", at, i)
		if part.Kind != strictjson.Object {
			r.fail(part, here, harness.BadType, "a part of the content is an object, not %s", part.Kind)
			continue
		}
		if t := r.text(part, here, "type", true); t != "text" {
			r.fail(part, here+"/type", harness.BadType, "a part of type %q has no tokens that could be counted (only text has)", t)
		}
		b.WriteString(r.text(part, here, "text", true))
	}
	return b.String()
}

func (r *reader) calls(v *strictjson.Value, role Role, at string) []Call {
	switch {
	case v == nil || v.Kind == strictjson.Null:
		return nil
	case v.Kind != strictjson.Array:
		r.fail(v, at, harness.BadType, "tool_calls is a list, not %s", v.Kind)
		return nil
	case len(v.Items) > 0 && role != Assistant:
		r.fail(v, at, harness.ExtraField, "only an assistant's message has tool_calls")
	}
	var calls []Call
	for i := range v.Items {
		item, here := &v.Items[i], fmt.Sprintf("%s/%d", at, i)
		if item.Kind != strictjson.Object {
			r.fail(item, here, harness.BadType, "a tool call is an object, not %s", item.Kind)
			continue
		}
		id := r.text(item, here, "id", true)
		calls = append(calls, Call{ID: id, Raw: r.raw(item)})
	}
	return calls
}

// raw returns the compact JSON of a value.
func (r *reader) raw(v *strictjson.Value) jsontext.Value {
	raw := jsontext.Value(r.data[v.Start:v.End]).Clone()
	_ = raw.Compact() // it was parsed just now
	return raw
}

// extra collects the members that a Message has no field for.
func (r *reader) extra(v *strictjson.Value) jsontext.Value {
	var b []byte
	for _, m := range v.Members {
		switch m.Name {
		case "role", "content", "tool_calls", "tool_call_id", "tag":
			continue
		}
		b = append(b, "{,"[min(len(b), 1)])
		b, _ = jsontext.AppendQuote(b, m.Name)
		b = append(b, ':')
		b = append(b, r.raw(&m.Value)...)
	}
	if b == nil {
		return nil
	}
	return append(b, '}')
}

// Encode writes a history as JSON, in the form that [Decode] reads. Content
// that is not UTF-8, which only a faulty engine makes, comes out with U+FFFD.
func Encode(messages []Message) jsontext.Value {
	b := []byte{'['}
	for i := range messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = messages[i].appendJSON(b)
	}
	return append(b, ']')
}

func (m *Message) appendJSON(b []byte) []byte {
	b = append(b, `{"role":`...)
	b, _ = jsontext.AppendQuote(b, string(m.Role))
	b = append(b, `,"content":`...)
	b, _ = jsontext.AppendQuote(b, m.Content)
	if len(m.Calls) > 0 {
		b = append(b, `,"tool_calls":`...)
		b = append(b, m.CallsText()...)
	}
	if m.Role == Tool {
		b = append(b, `,"tool_call_id":`...)
		b, _ = jsontext.AppendQuote(b, m.CallID)
	}
	if m.Tag != "" {
		b = append(b, `,"tag":`...)
		b, _ = jsontext.AppendQuote(b, m.Tag)
	}
	if len(m.Extra) > 2 {
		b = append(b, ',')
		b = append(b, m.Extra[1:len(m.Extra)-1]...)
	}
	return append(b, '}')
}
