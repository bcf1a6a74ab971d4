package corpora

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// said is a message of any log in the terms of OpenAI's chat completions.
type said struct {
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content,omitzero"`
	ToolCalls []saidCall     `json:"tool_calls,omitempty"`
	Of        string         `json:"tool_call_id,omitzero"`
}

type saidCall struct {
	ID       string `json:"id,omitzero"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// say reads a message of OpenAI, LangChain, OpenTelemetry or ShareGPT.
func say(doc jsontext.Value) said {
	if inner := first(doc, "kwargs"); inner.Kind() == '{' { // LangChain's serialized object
		doc = inner
	} else if inner := first(doc, "data"); inner.Kind() == '{' { // LangChain's message_to_dict
		inner, kind := inner, text(lookup(doc, "type"))
		return named(say(inner), kind)
	}
	m := named(said{Content: first(doc, "content", "value")}, text(first(doc, "role", "type", "from")))
	for _, c := range elements(first(doc, "tool_calls", "additional_kwargs.tool_calls")) {
		m.call(first(c, "id"), first(c, "function.name", "name"), first(c, "function.arguments", "args", "arguments"))
	}
	m.Of = text(first(doc, "tool_call_id"))
	if text(lookup(doc, "status")) == "error" && m.Of != "" {
		m.refuse()
	}
	m.parts(doc)
	return m
}

// parts reads the parts of a message: OpenTelemetry's, and the blocks of Anthropic.
func (m *said) parts(doc jsontext.Value) {
	list := elements(first(doc, "parts"))
	if list == nil {
		for _, block := range elements(m.Content) {
			if text(lookup(block, "type")) == "tool_use" && m.ToolCalls == nil {
				m.call(lookup(block, "id"), lookup(block, "name"), lookup(block, "input"))
			}
		}
		return
	}
	var b strings.Builder
	for _, part := range list {
		switch text(lookup(part, "type")) {
		case "text":
			b.WriteString(text(first(part, "content", "text")))
		case "tool_call":
			m.call(lookup(part, "id"), lookup(part, "name"), lookup(part, "arguments"))
		case "tool_call_response":
			m.Role, m.Of = "tool", text(lookup(part, "id"))
			b.WriteString(text(first(part, "response", "result")))
		}
	}
	m.Content = quote(b.String())
}

func (m *said) call(id, name, arguments jsontext.Value) {
	c := saidCall{ID: text(id), Type: "function"}
	c.Function.Name, c.Function.Arguments = text(name), text(arguments)
	m.ToolCalls = append(m.ToolCalls, c)
}

// refuse marks a tool's answer as a refusal, in the form of Anthropic.
func (m *said) refuse() {
	m.Content = encode([]jsontext.Value{encode(map[string]any{
		"type": "tool_result", "tool_use_id": m.Of, "is_error": true,
	})})
}

// named sets the role by the name that a log gives it.
func named(m said, role string) said {
	switch strings.ToLower(role) {
	case "human", "humanmessage", "user":
		m.Role = "user"
	case "ai", "aimessage", "aimessagechunk", "gpt", "model", "bot", "assistant":
		m.Role = "assistant"
	case "system", "systemmessage", "developer":
		m.Role = "system"
	case "tool", "toolmessage", "function", "observation":
		m.Role = "tool"
	default:
		m.Role = cmp.Or(m.Role, role)
	}
	return m
}

// first returns the first of the dotted paths that the document has.
func first(doc jsontext.Value, paths ...string) jsontext.Value {
	for _, p := range paths {
		if v := lookup(doc, strings.Split(p, ".")...); v != nil {
			return v
		}
	}
	return nil
}

// chatExchange is one call of a model as a log describes it.
type chatExchange struct {
	id, model, finish string
	prompt            []said
	reply             []said // the choices
	params            map[string]jsontext.Value
	usage             *Usage
}

// answers converts the call to a request and a response of OpenAI's chat completions, which
// [exchange] reads.
func (x *chatExchange) answers() ([]answer, error) {
	request := map[string]any{"model": x.model, "messages": x.prompt}
	for name, v := range x.params {
		if v != nil {
			request[name] = v
		}
	}
	var choices []map[string]any
	for _, m := range x.reply {
		choices = append(choices, map[string]any{"message": m, "finish_reason": finish(x.finish)})
	}
	response := map[string]any{"id": x.id, "model": x.model, "choices": choices}
	if x.usage != nil {
		response["usage"] = x.usage
	}
	return exchange(encode(request), encode(response))
}

// encode returns the JSON of a value that was read from JSON, or nil.
func encode(v any) jsontext.Value {
	doc, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil
	}
	return doc
}

func quote(s string) jsontext.Value { return encode(s) }

func sayAll(list []jsontext.Value) (all []said) {
	for _, m := range list {
		if m.Kind() == '[' { // LangChain's list of prompts
			all = append(all, sayAll(elements(m))...)
		} else {
			all = append(all, say(m))
		}
	}
	return all
}

// documents calls f for each document of a file that is JSON, a list, JSON Lines, or documents
// that follow each other. members name the list that an object may wrap.
func documents(
	name string, found func(draft) bool, members []string, f func(doc jsontext.Value) ([]answer, error),
) error {
	data, err := readWhole(name)
	if err != nil {
		return eachLine(name, found, f) // it may be too large to be read whole
	}
	doc, err := document(data)
	list := []jsontext.Value{doc}
	if err != nil {
		if list = printed(data); list == nil {
			return eachLine(name, found, f)
		}
	}
	if wrapped := first(doc, members...); wrapped.Kind() == '[' && doc.Kind() == '{' {
		list = elements(wrapped)
	} else if doc.Kind() == '[' {
		list = elements(doc)
	}
	for i, doc := range list {
		answers, err := f(doc)
		if !handOn(Problem{Source: name, Line: i + 1}, doc, answers, err, found) {
			break
		}
	}
	return nil
}

// printed reads documents of several lines that follow each other, as the console exporter of
// OpenTelemetry prints them. It returns nil for any other text.
func printed(data []byte) (list []jsontext.Value) {
	if first, _, _ := bytes.Cut(data, []byte("\n")); jsontext.Value(first).IsValid() {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		doc, err := d.ReadValue()
		if errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			return nil
		}
		list = append(list, doc.Clone())
	}
}
