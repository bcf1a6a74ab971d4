package live

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/sjson"
)

// The paths of the two interfaces, under the base URL.
const (
	chatPath      = "chat/completions"
	responsesPath = "responses"
)

// chatBody is the request of a chat completion, with its members in the order in
// which OpenAI's library writes them: recordings are found by these bytes.
type chatBody struct {
	Messages            []chatMessage  `json:"messages,omitempty"`
	Model               string         `json:"model"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	Seed                *int64         `json:"seed,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	TopP                *float64       `json:"top_p,omitempty"`
	Stop                []string       `json:"stop,omitempty"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	ResponseFormat      any            `json:"response_format,omitempty"`
}

type chatMessage struct {
	Content string `json:"content"`
	Role    string `json:"role"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chat is the body of a chat completion.
func (r Request) chat() ([]byte, error) {
	b := chatBody{Model: r.Model, Seed: r.Params.Seed, Temperature: r.Params.Temperature, TopP: r.Params.TopP, Stop: r.Params.Stop}
	for _, m := range r.Messages {
		role := m.Role
		if role != "system" && role != "assistant" {
			role = "user"
		}
		b.Messages = append(b.Messages, chatMessage{Content: m.Content, Role: role})
	}
	if r.Params.Completion {
		b.MaxCompletionTokens = r.Params.ReplyTokens
	} else {
		b.MaxTokens = r.Params.ReplyTokens
	}
	if r.Params.Stream {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	switch r.Params.Format {
	case JSONObject:
		b.ResponseFormat = map[string]string{"type": "json_object"}
	case JSONSchema:
		b.ResponseFormat = jsontext.Value(fmt.Sprintf(`{"json_schema":{"name":"plan_patch","strict":false,"schema":%s},"type":"json_schema"}`, r.Params.Schema))
	}
	return r.body(b, r.more(
		jsontext.Value(fmt.Sprintf(`[{"type":"function","function":{"name":%q,"description":%q,"parameters":%s}}]`, ToolName, toolText, r.Params.Schema)),
		jsontext.Value(fmt.Sprintf(`{"type":"function","function":{"name":%q}}`, ToolName)),
	))
}

// responsesBody is the request of the interface responses.
type responsesBody struct {
	MaxOutputTokens int           `json:"max_output_tokens,omitempty"`
	Store           bool          `json:"store"`
	Temperature     *float64      `json:"temperature,omitempty"`
	TopP            *float64      `json:"top_p,omitempty"`
	Input           []chatMessage `json:"input,omitempty"`
	Model           string        `json:"model"`
	Text            any           `json:"text,omitempty"`
}

// responses is the body for the interface responses, which has neither a seed nor
// texts that end a reply. A schema keeps the order of its members, in which servers
// make models write them.
func (r Request) responses() ([]byte, error) {
	b := responsesBody{MaxOutputTokens: r.Params.ReplyTokens, Temperature: r.Params.Temperature, TopP: r.Params.TopP, Model: r.Model}
	for _, m := range r.Messages {
		b.Input = append(b.Input, chatMessage{Content: m.Content, Role: m.Role})
	}
	more := r.more(
		jsontext.Value(fmt.Sprintf(`[{"type":"function","name":%q,"description":%q,"strict":false,"parameters":%s}]`, ToolName, toolText, r.Params.Schema)),
		jsontext.Value(fmt.Sprintf(`{"type":"function","name":%q}`, ToolName)),
	)
	switch r.Params.Format {
	case JSONObject:
		b.Text = jsontext.Value(`{"format":{"type":"json_object"}}`)
	case JSONSchema:
		format := fmt.Sprintf(`{"type":"json_schema","name":"plan_edit","strict":false,"schema":%s}`, r.Params.Schema)
		more = append(more, member{"text.format", jsontext.Value(format)})
	}
	return r.body(b, more)
}

// member is one that is set in the body of a request, as it was written.
type member struct {
	name  string // with dots for a member of a member
	value jsontext.Value
}

// more are the members of a request that its parameters have no place for: those
// that the user adds, and the tool. Their order is always the same.
func (r Request) more(tool, choice jsontext.Value) (list []member) {
	members := maps.Clone(r.Params.Body)
	if r.Params.Format == Tool {
		if members == nil {
			members = map[string]jsontext.Value{}
		}
		members["tools"], members["tool_choice"] = tool, choice
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list = append(list, member{name, members[name]})
	}
	return list
}

// body writes a request: its parameters, and then what is set beside them.
func (r Request) body(params any, more []member) ([]byte, error) {
	var b bytes.Buffer
	e := stdjson.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(params); err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	if r.Params.Stream {
		more = append(more, member{"stream", jsontext.Value("true")})
	}
	data := bytes.TrimSpace(b.Bytes())
	for _, m := range more {
		var err error
		if data, err = sjson.SetBytes(data, m.name, stdjson.RawMessage(m.value)); err != nil {
			return nil, fmt.Errorf("set %s in the request: %w", m.name, err)
		}
	}
	return data, nil
}
