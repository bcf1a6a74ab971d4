package live

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"replanbench/harness/dialect"
)

// toolName is the name of the tool of Format Tool.
const toolName = "edit_plan"

const toolText = "Edits the plan: call it with the whole edit."

func (r Request) chat() openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model: r.Model, Seed: optional(r.Params.Seed), Temperature: optional(r.Params.Temperature),
		TopP: optional(r.Params.TopP),
		Stop: openai.ChatCompletionNewParamsStopUnion{OfStringArray: r.Params.Stop},
	}
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
	if limit := openai.Int(int64(r.Params.ReplyTokens)); limit.Value > 0 && r.Params.Completion {
		p.MaxCompletionTokens = limit
	} else if limit.Value > 0 {
		p.MaxTokens = limit
	}
	if r.Params.Stream {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	switch r.Params.Format {
	case jsonObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case jsonSchema:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "plan_patch", Schema: r.Params.Schema,
				Strict: openai.Bool(false),
			},
		}
	}
	return p
}

// responses returns the request for the interface responses, which has neither a seed
// nor stop texts. The endpoint is asked not to store the response.
func (r Request) responses() responses.ResponseNewParams {
	p := responses.ResponseNewParams{
		Model: r.Model, Store: openai.Bool(false),
		Temperature: optional(r.Params.Temperature), TopP: optional(r.Params.TopP),
	}
	for _, m := range r.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, responses.ResponseInputItemParamOfMessage(m.Content,
			responses.EasyInputMessageRole(m.Role)))
	}
	if n := int64(r.Params.ReplyTokens); n > 0 {
		p.MaxOutputTokens = openai.Int(n)
	}
	if r.Params.Format == jsonObject {
		p.Text.Format.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return p
}

// optional returns the library's form of a value that may be absent.
func optional[T comparable](v *T) (o param.Opt[T]) {
	if v != nil {
		o = param.NewOpt(*v)
	}
	return o
}

// more returns the members of a request that are sent unchanged: the ones of the
// user and the schemas, because the library's types lose the order of members. Models
// write members in the order of the schema. The order of the options is always the same.
func (r Request) more(api API) (list []option.RequestOption) {
	members := maps.Clone(r.Params.Body)
	set := func(name, format string, values ...any) {
		if members == nil {
			members = map[string]jsontext.Value{}
		}
		members[name] = jsontext.Value(fmt.Sprintf(format, values...))
	}
	switch schema := r.Params.Schema; {
	case r.Params.Format == tool && api == Responses:
		set("tools", `[{"type":"function","name":%q,"description":%q,"strict":false,"parameters":%s}]`, toolName, toolText,
			schema)
		set("tool_choice", `{"type":"function","name":%q}`, toolName)
	case r.Params.Format == tool:
		set("tools", `[{"type":"function","function":{"name":%q,"description":%q,"parameters":%s}}]`, toolName, toolText,
			schema)
		set("tool_choice", `{"type":"function","function":{"name":%q}}`, toolName)
	case r.Params.Format == jsonSchema && api == Responses:
		set("text.format", `{"type":"json_schema","name":"plan_edit","strict":false,"schema":%s}`, schema)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list = append(list, option.WithJSONSet(name, stdjson.RawMessage(members[name])))
	}
	return list
}

// PatchSchema is the schema of patches to bind decoding with: the dialect's first one
// without its patterns, which several servers refuse. So an id that is
// blank passes. The members keep their order, in which servers make models
// write them.
func PatchSchema(d *dialect.Dialect) (jsontext.Value, error) {
	if len(d.Schemas) == 0 {
		return nil, fmt.Errorf("the dialect %s has no reply schema", d.Name)
	}
	data := d.Schemas[0].Data
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		kind, members := from.StackIndex(from.StackDepth())
		token, err := from.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return jsontext.Value(bytes.TrimSpace(out.Bytes())), nil
		case err != nil:
			return nil, err
		}
		atName := kind == jsontext.KindBeginObject && members%2 == 0 && token.Kind() == jsontext.KindString
		if atName && (token.String() == "pattern" || token.String() == "$schema") {
			if err := from.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// responses makes an exchange through the interface responses.
func (x *exchange) responses(ctx context.Context, r Request, options []option.RequestOption) (Answer, error) {
	service := responses.NewResponseService(options...)
	if !r.Params.Stream {
		res, err := service.New(ctx, r.responses())
		if err != nil {
			return Answer{}, err
		}
		return x.response(*res, r)
	}
	s := service.NewStreaming(ctx, r.responses())
	defer s.Close()
	if x.object != nil {
		var whole responses.Response
		if err := stdjson.Unmarshal(x.object, &whole); err != nil {
			return Answer{}, err
		}
		return x.response(whole, r)
	}
	n := 0
	for ; s.Next(); n++ {
		switch event := s.Current(); event.Type {
		case "error":
			return Answer{}, x.refused([]byte(event.RawJSON()))
		case "response.completed", "response.incomplete", "response.failed":
			return x.response(event.Response, r)
		}
	}
	if s.Err() != nil {
		return Answer{}, s.Err()
	}
	return Answer{}, x.fail(StreamCut, "the stream ended after %d events without a complete response", n)
}

// response reads a whole response.
func (x *exchange) response(res responses.Response, r Request) (Answer, error) {
	switch {
	case res.Status == responses.ResponseStatusFailed:
		f := x.refused([]byte(res.RawJSON()))
		f.Message = "the response failed: " + f.Message
		return Answer{}, f
	case !res.JSON.Output.Valid():
		return Answer{}, x.fail(NoChoices, "the response has no list of outputs")
	}
	reply := newReply()
	reply.used(res.Usage.InputTokens, res.Usage.OutputTokens, res.Usage.JSON.InputTokens, res.Usage.JSON.OutputTokens)
	for _, item := range res.Output {
		if item.Type == "function_call" {
			next := &call{name: item.Name}
			next.arguments.add(item.JSON.Arguments)
			reply.calls = append(reply.calls, next)
		}
		for _, part := range item.Content {
			reply.refusal.add(part.JSON.Refusal)
			if part.Type == "output_text" {
				reply.content.add(part.JSON.Text)
			}
		}
	}
	reply.finish = "stop"
	switch reason := res.IncompleteDetails.Reason; reason {
	case "":
	case "max_output_tokens":
		reply.finish = "length"
	default:
		reply.finish = reason
	}
	return reply.answer(r.Params.Format), nil
}
