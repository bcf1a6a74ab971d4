package wire

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
)

// Path returns the API of a path, by its last part, because base URLs come with and
// without a version. It also returns the model in a path of Gemini, and whether the path
// is Gemini's method for streams.
func Path(path string) (api API, model string, stream, ok bool) {
	for tail, api := range map[string]API{"/chat/completions": Chat, "/responses": Responses, "/messages": Messages} {
		if strings.HasSuffix(path, tail) {
			return api, "", false, true
		}
	}
	if _, rest, ok := strings.Cut(path, "/models/"); ok {
		if model, ok := strings.CutSuffix(rest, ":generateContent"); ok {
			return Gemini, model, false, true
		}
		if model, ok := strings.CutSuffix(rest, ":streamGenerateContent"); ok {
			return Gemini, model, true, true
		}
	}
	return "", "", false, false
}

// Read reads the body of a request to a path. array asks for a stream of Gemini as one
// JSON array instead of events. It ignores members that this package does not use. The
// error names the first member that is invalid.
func Read(path string, body []byte, array bool) (*Request, error) {
	api, model, stream, ok := Path(path)
	if !ok {
		return nil, fmt.Errorf("unknown path %s", path)
	}
	r := &Request{API: api, Size: len(body)}
	read := map[API]func([]byte) error{
		Chat: r.readChat, Responses: r.readResponses, Messages: r.readMessages, Gemini: r.readGemini,
	}[api]
	if err := read(body); err != nil {
		return nil, fmt.Errorf("the body is not a request of %s: %w", api, err)
	}
	if api == Gemini {
		r.Model, r.Stream, r.array = model, stream, stream && array
	}
	return r, nil
}

// decode reads JSON as lenient as a server: agents send back whatever text a
// model gave them.
func decode(data []byte, into any) error {
	if len(data) == 0 {
		return errors.New("it is empty")
	}
	err := json.Unmarshal(data, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return strictjson.Plain(err) // without the names of types in this program
	}
	return nil
}

// turn is a message of chat completions, and of Anthropic's messages.
type turn struct {
	Role       string         `json:"role"`
	Content    jsontext.Value `json:"content"`
	ToolCalls  []chatCall     `json:"tool_calls"`
	ToolCallID string         `json:"tool_call_id"`
}

type chatCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
}

func (r *Request) readChat(body []byte) error {
	var in struct {
		Model         string `json:"model"`
		Stream        bool   `json:"stream"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []turn `json:"messages"`
		Tools    []struct {
			Function tool `json:"function"`
		} `json:"tools"`
		ResponseFormat struct {
			JSONSchema struct {
				Schema jsontext.Value `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := decode(body, &in); err != nil {
		return err
	}
	r.Model, r.Stream, r.noUsage = in.Model, in.Stream, !in.StreamOptions.IncludeUsage
	r.Form = in.ResponseFormat.JSONSchema.Schema
	for _, t := range in.Tools {
		r.offer(t.Function)
	}
	for _, t := range in.Messages {
		m := Message{Role: role(t.Role), Text: texts(t.Content)}
		if m.Role == history.Tool {
			m.Result = &Result{CallID: t.ToolCallID, Text: m.Text}
		}
		for _, c := range t.ToolCalls {
			m.Calls = append(m.Calls, Call{c.ID, c.Function.Name, arguments(c.Function.Arguments)})
		}
		r.Messages = append(r.Messages, m)
	}
	return nil
}

// tool is a tool as an API declares it; each has one of the schemas.
type tool struct {
	Name                 string         `json:"name"`
	Description          string         `json:"description"`
	Parameters           jsontext.Value `json:"parameters"`
	ParametersJSONSchema jsontext.Value `json:"parametersJsonSchema"` // Gemini
	InputSchema          jsontext.Value `json:"input_schema"`         // Anthropic
}

// offer adds the tools to the request.
func (r *Request) offer(list ...tool) {
	for _, t := range list {
		schema := t.Parameters
		if r.API == Messages {
			schema = t.InputSchema
		} else if schema == nil && r.API == Gemini {
			schema = t.ParametersJSONSchema
		}
		r.Tools = append(r.Tools, Tool{t.Name, t.Description, schema})
	}
}

// role is the role in a history. Instructions have several names.
func role(name string) history.Role {
	switch name {
	case "developer":
		return history.System
	case "model":
		return history.Assistant
	case "function":
		return history.Tool
	}
	return history.Role(name)
}

// arguments is the text of arguments, which clients send as a text or as a value.
func arguments(v jsontext.Value) string {
	if v.Kind() == '"' {
		return str(v)
	}
	return string(v)
}

// str is the text of a JSON string.
func str(v jsontext.Value) string {
	var s string
	if decode(v, &s) != nil {
		return ""
	}
	return s
}

// texts joins the texts of a content: a string, or a list of parts.
func texts(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return str(v)
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if decode(v, &parts) != nil {
			return ""
		}
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text)
		}
		return b.String()
	}
	return ""
}

func (r *Request) readResponses(body []byte) error {
	var in struct {
		Model        string         `json:"model"`
		Stream       bool           `json:"stream"`
		Instructions string         `json:"instructions"`
		Input        jsontext.Value `json:"input"`
		Tools        []tool         `json:"tools"`
	}
	if err := decode(body, &in); err != nil {
		return err
	}
	r.Model, r.Stream = in.Model, in.Stream
	r.offer(in.Tools...)
	if in.Instructions != "" {
		r.Messages = append(r.Messages, Message{Role: history.System, Text: in.Instructions})
	}
	if in.Input.Kind() == '"' {
		r.Messages = append(r.Messages, Message{Role: history.User, Text: str(in.Input)})
		return nil
	}
	var items []responsesItem
	if in.Input == nil {
		return nil
	}
	if err := decode(in.Input, &items); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	for _, i := range items {
		r.add(i)
	}
	return nil
}

// responsesItem is an item of the input of the responses API.
type responsesItem struct {
	Type      string         `json:"type"`
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Output    jsontext.Value `json:"output"`
}

// add adds an item to the history. Calls join the message of the assistant
// before them. An output without a call is a notice and answers nothing.
func (r *Request) add(i responsesItem) {
	switch {
	case i.Type == "function_call":
		call := Call{i.CallID, i.Name, arguments(i.Arguments)}
		if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == history.Assistant {
			r.Messages[n-1].Calls = append(r.Messages[n-1].Calls, call)
			return
		}
		r.Messages = append(r.Messages, Message{Role: history.Assistant, Calls: []Call{call}})
	case i.Type == "function_call_output" && i.CallID != "":
		text := texts(i.Output)
		r.Messages = append(r.Messages, Message{
			Role: history.Tool, Text: text,
			Result: &Result{CallID: i.CallID, Text: text},
		})
	case i.Role != "":
		r.Messages = append(r.Messages, Message{Role: role(i.Role), Text: texts(i.Content)})
	}
}

func (r *Request) readMessages(body []byte) error {
	var in struct {
		Model    string         `json:"model"`
		Stream   bool           `json:"stream"`
		System   jsontext.Value `json:"system"`
		Messages []turn         `json:"messages"`
		Tools    []tool         `json:"tools"`
	}
	if err := decode(body, &in); err != nil {
		return err
	}
	r.Model, r.Stream = in.Model, in.Stream
	r.offer(in.Tools...)
	if text := texts(in.System); text != "" {
		r.Messages = append(r.Messages, Message{Role: history.System, Text: text})
	}
	for _, t := range in.Messages {
		r.Messages = append(r.Messages, blocks(t)...)
	}
	return nil
}

// blocks returns the messages in one message of Anthropic's API: first one for each
// result of a tool, then one with the user's text.
func blocks(t turn) []Message {
	var parts []struct {
		Type      string         `json:"type"`
		Text      string         `json:"text"`
		ID        string         `json:"id"`
		Name      string         `json:"name"`
		Input     jsontext.Value `json:"input"`
		ToolUseID string         `json:"tool_use_id"`
		Content   jsontext.Value `json:"content"`
		IsError   bool           `json:"is_error"`
	}
	said := Message{Role: role(t.Role), Text: texts(t.Content)}
	if t.Content.Kind() != '[' || decode(t.Content, &parts) != nil {
		return []Message{said}
	}
	var results []Message
	other := 0
	for _, p := range parts {
		switch p.Type {
		case "tool_use":
			said.Calls = append(said.Calls, Call{p.ID, p.Name, arguments(p.Input)})
			other++
		case "tool_result":
			text := texts(p.Content)
			results = append(results, Message{Role: history.Tool, Text: text, Result: &Result{p.ToolUseID, text, p.IsError}})
		default:
			other++
		}
	}
	if other > 0 || results == nil {
		results = append(results, said)
	}
	return results
}

func (r *Request) readGemini(body []byte) error {
	var in struct {
		SystemInstruction geminiContent   `json:"systemInstruction"`
		Contents          []geminiContent `json:"contents"`
		Tools             []struct {
			FunctionDeclarations []tool `json:"functionDeclarations"`
		} `json:"tools"`
		GenerationConfig struct {
			ResponseJSONSchema jsontext.Value `json:"responseJsonSchema"`
			ResponseSchema     jsontext.Value `json:"responseSchema"`
		} `json:"generationConfig"`
	}
	if err := decode(body, &in); err != nil {
		return err
	}
	if r.Form = in.GenerationConfig.ResponseJSONSchema; r.Form == nil {
		r.Form = in.GenerationConfig.ResponseSchema
	}
	for _, group := range in.Tools {
		r.offer(group.FunctionDeclarations...)
	}
	if text := in.SystemInstruction.text(); text != "" {
		r.Messages = append(r.Messages, Message{Role: history.System, Text: text})
	}
	ids := geminiIDs{map[string]int{}, map[string]int{}}
	for _, c := range in.Contents {
		r.Messages = append(r.Messages, c.messages(ids)...)
	}
	return nil
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text         string `json:"text"`
	Thought      bool   `json:"thought"`
	FunctionCall *struct {
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args jsontext.Value `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string         `json:"id"`
		Name     string         `json:"name"`
		Response jsontext.Value `json:"response"`
	} `json:"functionResponse"`
}

func (c geminiContent) text() string {
	var b strings.Builder
	for _, p := range c.Parts {
		if !p.Thought {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// messages are those that a content holds: each function response is one.
func (c geminiContent) messages(ids geminiIDs) []Message {
	said := Message{Role: role(c.Role), Text: c.text()}
	var results []Message
	for _, p := range c.Parts {
		switch {
		case p.FunctionCall != nil:
			f := p.FunctionCall
			said.Calls = append(said.Calls, Call{ids.next(ids.calls, f.ID, f.Name), f.Name, string(f.Args)})
		case p.FunctionResponse != nil:
			f := p.FunctionResponse
			text, failed := geminiResult(f.Response)
			result := &Result{ids.next(ids.results, f.ID, f.Name), text, failed}
			results = append(results, Message{Role: history.Tool, Text: text, Result: result})
		}
	}
	if said.Text != "" || len(said.Calls) > 0 || results == nil {
		results = append(results, said)
	}
	return results
}

// geminiResult is the text of a function's response, and whether it is an error.
func geminiResult(v jsontext.Value) (text string, failed bool) {
	var in struct {
		Output jsontext.Value `json:"output"`
		Error  jsontext.Value `json:"error"`
	}
	if decode(v, &in) != nil {
		return string(v), false
	}
	switch {
	case in.Output != nil:
		return arguments(in.Output), false
	case in.Error != nil:
		return arguments(in.Error), true
	}
	return string(v), false
}

// geminiIDs gives calls without an id one, and finds the call of a response without an id: the first
// one of its name that is open. It counts calls and responses by name.
type geminiIDs struct{ calls, results map[string]int }

// next returns the id, or without one the next of its name.
func (geminiIDs) next(counts map[string]int, id, name string) string {
	if id != "" {
		return id
	}
	counts[name]++
	return fmt.Sprintf("%s#%d", name, counts[name])
}
