package live

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// sent is what a server is asked.
type sent struct {
	URL, Body string
	Headers   map[string]string
}

// listen is a transport that keeps the last request and answers with nothing.
type listen struct{ sent *sent }

func (l listen) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	*l.sent = sent{req.URL.String(), string(bytes.TrimSpace(body)), map[string]string{}}
	for _, name := range []string{"Accept", "Authorization", "Content-Type", "Openai-Organization", "Openai-Project", "X-More"} {
		l.sent.Headers[name] = req.Header.Get(name)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader([]byte("{}")))}, nil
}

// TestRequestsAreThoseOfTheLibrary: what is sent is what OpenAI's library sends, byte
// by byte. The library is 18 MB of a program and is used for the streams alone.
func TestRequestsAreThoseOfTheLibrary(t *testing.T) {
	text := "a <b> & \"c\" \u2028 é \U0001F600"
	messages := []Message{{Role: "system", Content: text}, {Role: "user", Content: "u"}, {Role: "assistant", Content: "a"}, {Role: "user", Content: ""}}
	zero, half, seed := 0.0, 0.5, int64(-7)
	schema := jsontext.Value(`{"type":"object","properties":{"z":{},"a":{"description":"<&>"}}}`)
	cases := map[string]Params{
		"plain":      {},
		"numbers":    {Temperature: &zero, TopP: &half, Seed: &seed, ReplyTokens: 900, Stop: []string{"\n", "<end>"}},
		"completion": {ReplyTokens: 900, Completion: true},
		"stream":     {Stream: true},
		"object":     {Format: JSONObject},
		"schema":     {Format: JSONSchema, Schema: schema, Stream: true},
		"tool":       {Format: Tool, Schema: schema, Body: map[string]jsontext.Value{"user": jsontext.Value(`"<u>"`)}},
		"body":       {Body: map[string]jsontext.Value{"reasoning_effort": jsontext.Value(`"low"`), "chat_template_kwargs": jsontext.Value(`{"b": [1, 2.50], "a": null}`)}},
	}
	for name, params := range cases {
		for _, api := range []API{Chat, Responses} {
			t.Run(fmt.Sprintf("%s/%s", name, api), func(t *testing.T) {
				var ours, theirs sent
				e := Endpoint{
					BaseURL: "http://host/v1/", Key: "k", Organization: "o", Project: "p", API: api,
					Headers: []Pair{{"X-More", "m"}}, Query: []Pair{{"api-version", "2 3"}}, Transport: listen{&ours},
				}
				c, err := NewClient(e, time.Now)
				if err != nil {
					t.Fatal(err)
				}
				r := Request{Model: "m", Messages: messages, Params: params}
				_, _ = c.Ask(t.Context(), r) // the answer is none
				askByLibrary(t.Context(), listen{&theirs}, api, r)
				if d := cmp.Diff(theirs, ours); d != "" {
					t.Errorf("the library sends -, the client +:\n%s", d)
				}
			})
		}
	}
}

func askByLibrary(ctx context.Context, to http.RoundTripper, api API, r Request) {
	options := []option.RequestOption{
		option.WithBaseURL("http://host/v1/"), option.WithHTTPClient(&http.Client{Transport: to}), option.WithMaxRetries(0),
		option.WithAPIKey("k"), option.WithOrganization("o"), option.WithProject("p"), option.WithHeader("X-More", "m"), option.WithQuery("api-version", "2 3"),
	}
	members := maps.Clone(r.Params.Body)
	if r.Params.Format == Tool {
		members["tools"], members["tool_choice"] = libraryTool(api, r)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		options = append(options, option.WithJSONSet(name, stdjson.RawMessage(members[name])))
	}
	switch s := openai.NewChatCompletionService(options...); {
	case api == Responses:
		askResponses(ctx, responses.NewResponseService(options...), r)
	case r.Params.Stream:
		s.NewStreaming(ctx, r.libraryChat()).Next()
	default:
		_, _ = s.New(ctx, r.libraryChat())
	}
}

func libraryTool(api API, r Request) (tool, choice jsontext.Value) {
	if api == Responses {
		return jsontext.Value(fmt.Sprintf(`[{"type":"function","name":%q,"description":%q,"strict":false,"parameters":%s}]`, ToolName, toolText, r.Params.Schema)),
			jsontext.Value(fmt.Sprintf(`{"type":"function","name":%q}`, ToolName))
	}
	return jsontext.Value(fmt.Sprintf(`[{"type":"function","function":{"name":%q,"description":%q,"parameters":%s}}]`, ToolName, toolText, r.Params.Schema)),
		jsontext.Value(fmt.Sprintf(`{"type":"function","function":{"name":%q}}`, ToolName))
}

func (r Request) libraryChat() openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: r.Model}
	for _, m := range r.Messages {
		switch m.Role {
		case "system":
			p.Messages = append(p.Messages, openai.SystemMessage(m.Content))
		case "assistant":
			p.Messages = append(p.Messages, openai.AssistantMessage(m.Content))
		default:
			p.Messages = append(p.Messages, openai.UserMessage(m.Content))
		}
	}
	if r.Params.Temperature != nil {
		p.Temperature, p.TopP, p.Seed = openai.Float(*r.Params.Temperature), openai.Float(*r.Params.TopP), openai.Int(*r.Params.Seed)
	}
	if n := int64(r.Params.ReplyTokens); n > 0 && r.Params.Completion {
		p.MaxCompletionTokens = openai.Int(n)
	} else if n > 0 {
		p.MaxTokens = openai.Int(n)
	}
	if len(r.Params.Stop) > 0 {
		p.Stop = openai.ChatCompletionNewParamsStopUnion{OfStringArray: r.Params.Stop}
	}
	if r.Params.Stream {
		p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	}
	switch r.Params.Format {
	case JSONObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case JSONSchema:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "plan_patch", Schema: r.Params.Schema, Strict: openai.Bool(false)},
		}
	}
	return p
}

func askResponses(ctx context.Context, s responses.ResponseService, r Request) {
	p := responses.ResponseNewParams{Model: r.Model, Store: openai.Bool(false)}
	for _, m := range r.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, responses.ResponseInputItemParamOfMessage(m.Content, responses.EasyInputMessageRole(m.Role)))
	}
	if r.Params.Temperature != nil {
		p.Temperature, p.TopP = openai.Float(*r.Params.Temperature), openai.Float(*r.Params.TopP)
	}
	if n := int64(r.Params.ReplyTokens); n > 0 {
		p.MaxOutputTokens = openai.Int(n)
	}
	var more []option.RequestOption
	switch r.Params.Format {
	case JSONObject:
		p.Text.Format.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case JSONSchema:
		format := fmt.Sprintf(`{"type":"json_schema","name":"plan_edit","strict":false,"schema":%s}`, r.Params.Schema)
		more = append(more, option.WithJSONSet("text.format", stdjson.RawMessage(format)))
	}
	if r.Params.Stream {
		s.NewStreaming(ctx, p, more...).Next()
		return
	}
	_, _ = s.New(ctx, p, more...)
}
