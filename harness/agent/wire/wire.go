// Package wire reads the requests that agents send to a model and writes a model's
// answers, streamed and whole, in the four forms that agents use: chat completions
// and responses (OpenAI), messages (Anthropic) and generateContent (Gemini).
//
// It knows no plan, session or fault: package endpoint serves these answers, and
// package fault damages them.
package wire

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/history"
)

// API is one of the forms.
type API string

// The forms.
const (
	Chat      API = "chat completions"
	Responses API = "responses"
	Messages  API = "messages"
	Gemini    API = "generateContent"
)

// Request is what an agent asks of a model.
type Request struct {
	API    API
	Stream bool
	Model  string
	Tools  []Tool
	// Form is the JSON Schema that the text of the answer must have; nil if it is free.
	Form jsontext.Value
	// Messages is the history that the agent sent, with its instructions at the
	// head.
	Messages []Message

	// URL is where the request went, and Gzip says that the agent reads compressed
	// answers.
	URL  string
	Gzip bool
	// Size is the length of the body in bytes.
	Size int

	array   bool // a stream of Gemini without events: one JSON array
	noUsage bool // a chat stream that asked for no usage
}

// Tool is a tool that the agent offers.
type Tool struct {
	Name   string
	Text   string
	Schema jsontext.Value // of the arguments, if any
}

// Message is one entry of a history.
type Message struct {
	Role   history.Role
	Text   string
	Calls  []Call
	Result *Result // of a tool
}

// Call is a tool call. Arguments is a text that should be a JSON object.
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// Result is what a tool gave back.
type Result struct {
	CallID string
	Text   string
	Failed bool // the agent marked it as an error
}

// The places of a request where an agent may state its plan.
const (
	Behind = "behind" // the messages behind the last answer of the model, without results
	System = "system" // the instructions
)

// Said returns the texts of a place.
func (r *Request) Said(where string) string {
	var texts []string
	for _, m := range r.Messages {
		switch {
		case where == Behind && m.Role == history.Assistant:
			texts = nil
		case m.Result == nil && (m.Role == history.System) == (where == System):
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// History returns the messages as the history of a chat.
func (r *Request) History() []history.Message {
	list := make([]history.Message, len(r.Messages))
	for i, m := range r.Messages {
		list[i] = history.Message{Role: m.Role, Content: m.Text}
		for _, c := range m.Calls {
			list[i].Calls = append(list[i].Calls, history.Call{
				ID:  c.ID,
				Raw: object{{"name", c.Name}, {"arguments", c.Arguments}}.json(),
			})
		}
		if m.Result != nil {
			list[i].Content, list[i].CallID = m.Result.Text, m.Result.CallID
		}
	}
	return list
}

// Finish says why an answer ends.
type Finish string

// The ends.
const (
	Stop   Finish = "stop" // the answer is whole, with its calls or without
	Length Finish = "length"
	Filter Finish = "filter" // the model refused
)

// Answer is what the model says.
type Answer struct {
	ID        string
	Model     string
	Created   int64 // seconds since 1970
	Text      string
	Reasoning string
	Refusal   string
	Calls     []Call
	Finish    Finish
	Usage     Usage
	// Pieces is in how many pieces the arguments of a call are streamed; 0 is one.
	Pieces int
}

// Usage counts tokens.
type Usage struct{ In, Out int }

// Event is one event of a stream; an unstreamed answer is a single one, and has
// no name.
type Event struct {
	Name string
	Data jsontext.Value
}

// Write writes an answer to a request: the events of a stream, or one document.
func Write(r *Request, a Answer) []Event {
	w := map[API]writer{Chat: chat{}, Responses: responses{}, Messages: messages{}, Gemini: gemini{}}[r.API]
	if r.Stream {
		return w.stream(r, a)
	}
	return []Event{{Data: w.whole(a).json()}}
}

// writer writes answers in one form.
type writer interface {
	whole(a Answer) object
	stream(r *Request, a Answer) []Event
}

// object is a JSON object whose members stay in order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo writes the members.
func (o object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, m.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// json writes the object. Texts that are no UTF-8 get replacement characters, as
// in every client.
func (o object) json() jsontext.Value { return encode(o) }

func encode(v any) jsontext.Value {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
		json.FormatNilSliceAsNull(true))
	if err != nil {
		panic(err) // a raw value that was not looked at before
	}
	return data
}

// with returns the object with further members.
func (o object) with(more ...member) object { return append(slices.Clip(o), more...) }

// cut cuts a text into n pieces at letters; fewer if it is too short.
func cut(text string, n int) []string {
	letters := []rune(text)
	n = max(1, min(n, len(letters)))
	list := make([]string, n)
	for i := range n {
		list[i] = string(letters[i*len(letters)/n : (i+1)*len(letters)/n])
	}
	return list
}

// argumentsObject returns arguments for an API in which they are a value, not a text.
// Invalid JSON becomes a string.
func argumentsObject(text string) jsontext.Value {
	if v := jsontext.Value(text); v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return v
	}
	return encode(text)
}
