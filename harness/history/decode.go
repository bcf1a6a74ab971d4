package history

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

// maxDepth bounds the nesting of a history's JSON.
const maxDepth = 1000

// Decode reads the JSON of a history's messages; the package comment describes
// its form. The error is a *strictjson.Fault.
func Decode(data []byte) ([]Message, error) {
	r, root, err := newReader("messages", data)
	defer r.Parser.Release()
	if err != nil {
		return nil, err
	}
	messages := r.messages(root)
	return messages, r.err()
}

// reader decodes a document and keeps the first fault.
type reader struct {
	strictjson.Reader
	data []byte
}

// newReader returns a reader, whose parser the caller releases, and the document.
func newReader(document string, data []byte) (r reader, root *strictjson.Value, err error) {
	r = reader{strictjson.Reader{Document: document, Parser: strictjson.Borrow(string(data))}, data}
	root = r.Parse(data, maxDepth)
	return r, root, r.err()
}

// err is the first fault as an error; nil if there is none.
func (r *reader) err() error {
	if r.Fault == nil {
		return nil
	}
	return r.Fault
}

type path = strictjson.Path

func (r *reader) messages(v *strictjson.Value) []Message {
	if !r.Is(v, strictjson.Array, path{}, "a history") {
		return nil
	}
	messages := make([]Message, len(v.Items))
	for i := range v.Items {
		r.message(&messages[i], &v.Items[i], path{}.Item(i))
	}
	return messages
}

func (r *reader) message(m *Message, v *strictjson.Value, at path) {
	if !r.Is(v, strictjson.Object, at, "a message") {
		return
	}
	role, _ := r.Text(v, at, "role", true)
	if m.Role = Role(role); m.Role == "developer" { // what newer models call it
		m.Role = System
	}
	if !slices.Contains([]Role{System, User, Assistant, Tool}, m.Role) {
		r.Fail(harness.BadType, at.Member("role"), "unknown role %q (use system, user, assistant or tool)", m.Role)
	}
	m.Content = r.content(v.Get("content"), at.Member("content"))
	m.Tag, _ = r.Text(v, at, "tag", false)
	m.Calls = r.calls(v, m.Role, at)
	m.CallID, _ = r.Text(v, at, "tool_call_id", m.Role == Tool)
	if m.CallID != "" && m.Role != Tool {
		r.Fail(harness.ExtraField, at.Member("tool_call_id"), "only a tool message has a tool_call_id")
	}
	m.Extra = r.Rest(v, r.data, func(m *strictjson.Member) bool {
		return slices.Contains([]string{"role", "content", "tool_calls", "tool_call_id", "tag"}, m.Name)
	})
}

// content reads a string, null, or a list of text parts.
func (r *reader) content(v *strictjson.Value, at path) string {
	switch {
	case v == nil || v.Kind == strictjson.Null:
		return ""
	case v.Kind == strictjson.String:
		return v.Text
	case v.Kind != strictjson.Array:
		r.Fail(harness.BadType, at, "content must be a string, null or a list of text parts, not %s", v.Kind)
		return ""
	}
	var b strings.Builder
	for i := range v.Items {
		part, here := &v.Items[i], at.Item(i)
		if !r.Is(part, strictjson.Object, here, "a part of the content") {
			return ""
		}
		if t, _ := r.Text(part, here, "type", true); t != "text" {
			r.Fail(harness.BadType, here.Member("type"),
				"a part of type %q has no tokens that could be counted (only text has)", t)
		}
		text, _ := r.Text(part, here, "text", true)
		b.WriteString(text)
	}
	return b.String()
}

func (r *reader) calls(message *strictjson.Value, role Role, at path) []Call {
	items := r.Items(message, at, "tool_calls")
	at = at.Member("tool_calls")
	if len(items) > 0 && role != Assistant {
		r.Fail(harness.ExtraField, at, "only an assistant's message has tool_calls")
	}
	var calls []Call
	for i := range items {
		here := at.Item(i)
		if item := &items[i]; r.Is(item, strictjson.Object, here, "a tool call") {
			id, _ := r.Text(item, here, "id", true)
			calls = append(calls, Call{ID: id, Raw: r.Raw(item, r.data)})
		}
	}
	return calls
}

// Encode writes a history as JSON, in the form that [Decode] reads. Content
// that is not UTF-8, which only a faulty engine makes, comes out with U+FFFD.
func Encode(messages []Message) jsontext.Value {
	size := 0
	for i := range messages {
		size += 64 + len(messages[i].Content) // with few escapes
	}
	b := append(make([]byte, 0, size), '[')
	for i := range messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = messages[i].AppendJSON(b)
	}
	return append(b, ']')
}

// AppendJSON appends the message as [Encode] writes it.
func (m *Message) AppendJSON(b []byte) []byte {
	b = append(b, `{"role":`...)
	b = strictjson.AppendQuote(b, string(m.Role))
	b = append(b, `,"content":`...)
	b = strictjson.AppendQuote(b, m.Content)
	if len(m.Calls) > 0 {
		b = append(b, `,"tool_calls":`...)
		b = m.appendCalls(b)
	}
	if m.Role == Tool {
		b = append(b, `,"tool_call_id":`...)
		b = strictjson.AppendQuote(b, m.CallID)
	}
	if m.Tag != "" {
		b = append(b, `,"tag":`...)
		b = strictjson.AppendQuote(b, m.Tag)
	}
	if m.Extra != nil {
		b = append(b, ',')
		b = append(b, m.Extra[1:len(m.Extra)-1]...)
	}
	return append(b, '}')
}
