package live

import (
	"context"
	stdjson "encoding/json" // which the library writes requests with
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// response makes one exchange by the interface responses. It has neither a seed
// nor texts that end a reply.
func (c *Client) response(ctx context.Context, r Request) (Answer, error) {
	p := r.responseParams()
	if !r.Params.Stream {
		res, err := c.respond.New(ctx, p, r.responseOptions()...)
		if err != nil {
			return Answer{}, err
		}
		return r.responded(res)
	}
	s := c.respond.NewStreaming(ctx, p, r.responseOptions()...)
	defer s.Close()
	events := 0
	for s.Next() {
		events++
		switch event := s.Current(); event.Type {
		case "response.completed", "response.incomplete", "response.failed":
			return r.responded(&event.Response)
		}
	}
	if s.Err() != nil {
		return Answer{}, s.Err()
	}
	return Answer{}, &Failure{Class: StreamCut, Status: http.StatusOK, Message: fmt.Sprintf("the stream ended after %d events without the whole response", events)}
}

func (r Request) responseParams() responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: r.Model, Store: openai.Bool(false)}
	for _, m := range r.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, responses.ResponseInputItemParamOfMessage(m.Content, responses.EasyInputMessageRole(m.Role)))
	}
	if r.Params.Temperature != nil {
		p.Temperature = openai.Float(*r.Params.Temperature)
	}
	if r.Params.TopP != nil {
		p.TopP = openai.Float(*r.Params.TopP)
	}
	if n := int64(r.Params.ReplyTokens); n > 0 {
		p.MaxOutputTokens = openai.Int(n)
	}
	if r.Params.Format == JSONObject {
		p.Text.Format.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return p
}

// responseOptions are what its parameters have no place for. A schema keeps the
// order of its members, in which servers make models write them.
func (r Request) responseOptions() []option.RequestOption {
	tool := fmt.Sprintf(`[{"type":"function","name":%q,"description":%q,"strict":false,"parameters":%s}]`, ToolName, toolText, r.Params.Schema)
	list := r.more(jsontext.Value(tool), jsontext.Value(fmt.Sprintf(`{"type":"function","name":%q}`, ToolName)))
	if r.Params.Format == JSONSchema {
		format := fmt.Sprintf(`{"type":"json_schema","name":"plan_edit","strict":false,"schema":%s}`, r.Params.Schema)
		list = append(list, option.WithJSONSet("text.format", stdjson.RawMessage(format)))
	}
	return list
}

// responded is the answer that a response holds.
func (r Request) responded(res *responses.Response) (Answer, error) {
	a := Answer{PromptTokens: -1, ReplyTokens: -1}
	if u := res.Usage; u.JSON.InputTokens.Valid() && u.JSON.OutputTokens.Valid() {
		a.used(u.InputTokens, u.OutputTokens)
	}
	switch {
	case res.Status == "failed":
		return a, &Failure{Class: ServerError, Status: http.StatusOK, Message: "the response failed: " + res.Error.Message}
	case !res.JSON.Output.Valid():
		return a, &Failure{Class: NoChoices, Status: http.StatusOK, Message: "the answer has no output"}
	}
	refusal := ""
	var calls []called
	for _, item := range res.Output {
		if item.Type == "function_call" {
			calls = append(calls, called{item.Name, item.Arguments.OfString})
		}
		for _, part := range item.Content {
			refusal += part.Refusal
		}
	}
	finish := "stop"
	if res.IncompleteDetails.Reason == "max_output_tokens" {
		finish = "length"
	} else if res.IncompleteDetails.Reason != "" {
		finish = res.IncompleteDetails.Reason
	}
	a.take(r, res.OutputText(), refusal, finish, calls)
	return a, nil
}
