package live

import (
	"context"
	stdjson "encoding/json"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

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
