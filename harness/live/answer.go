package live

import (
	"context"
	stdjson "encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"
)

// reply collects what a model writes, whole or in pieces.
type reply struct {
	content, refusal text
	calls            []*call
	finish           string
	prompt, tokens   int // as the endpoint counted them; -1 if it did not
}

func newReply() *reply { return &reply{prompt: -1, tokens: -1} }

// call is one call of a tool.
type call struct {
	name      string
	arguments text
}

// text joins the pieces of a string as JSON writes them. So a character is whole if a
// stream splits its surrogate pair.
type text struct{ raw []byte }

// add appends a string, the text parts of a list of parts, or any other value as JSON.
func (t *text) add(f respjson.Field) {
	switch v := gjson.Parse(f.Raw()); {
	case v.Type == gjson.Null:
	case v.IsArray():
		for _, part := range v.Array() {
			if kind := part.Get("type").Str; kind == "" || kind == "text" || kind == "output_text" {
				t.addString(part.Get("text"))
			}
		}
	case v.Type == gjson.String:
		t.addString(v)
	default:
		quoted, _ := jsontext.AppendQuote(nil, v.Raw) // the error means malformed UTF-8, which the transport replaced
		t.raw = append(t.raw, quoted[1:len(quoted)-1]...)
	}
}

func (t *text) addString(v gjson.Result) {
	if v.Type == gjson.String {
		t.raw = append(t.raw, v.Raw[1:len(v.Raw)-1]...)
	}
}

// read returns the text, and whether it has no lone surrogate, which U+FFFD replaces.
func (t *text) read() (string, bool) {
	quoted := slices.Concat([]byte{'"'}, t.raw, []byte{'"'})
	out, err := jsontext.AppendUnquote(nil, quoted)
	return string(out), err == nil
}

// mostTokens is more than any exchange takes. Sums of it do not overflow.
const mostTokens = 1 << 40

// used notes the endpoint's counts of tokens if they are plausible.
func (r *reply) used(prompt, tokens int64, sent ...respjson.Field) {
	missing := slices.ContainsFunc(sent, func(f respjson.Field) bool { return !f.Valid() })
	if !missing && min(prompt, tokens) >= 0 && max(prompt, tokens) <= mostTokens {
		r.prompt, r.tokens = int(prompt), int(tokens)
	}
}

// answer returns the reply as one text. With Format Tool it is the arguments of the call.
func (r *reply) answer(format Format) Answer {
	a := Answer{FinishReason: r.finish, PromptTokens: r.prompt, ReplyTokens: r.tokens}
	content, sound := r.content.read()
	refusal, soundRefusal := r.refusal.read()
	switch i := slices.IndexFunc(r.calls, func(c *call) bool { return c.name == toolName }); {
	case format == tool && i >= 0:
		content, sound = r.calls[i].arguments.read()
		if r.finish == "tool_calls" {
			a.FinishReason = "stop" // a reply of this format ends so
		}
	case content == "" && refusal != "":
		content, sound, a.Kind = refusal, soundRefusal, "refusal"
	case content == "" && len(r.calls) > 0:
		a.Kind = "tool_call"
	case content == "":
		a.Kind = "empty"
	case format == tool:
		a.Kind = "no_call"
	}
	if a.Text = content; a.Kind == "" && (!sound || strings.Contains(content, "\uFFFD")) {
		a.Kind = "replaced_characters"
	}
	return a
}

// chat makes an exchange through chat completions.
func (x *exchange) chat(ctx context.Context, r Request, options []option.RequestOption) (Answer, error) {
	service := openai.NewChatCompletionService(options...)
	var whole openai.ChatCompletion
	if !r.Params.Stream {
		res, err := service.New(ctx, r.chat())
		if err != nil {
			return Answer{}, err
		}
		whole = *res
	} else {
		s := service.NewStreaming(ctx, r.chat())
		defer s.Close()
		if x.object == nil {
			return x.chunks(s, r)
		}
		if err := stdjson.Unmarshal(x.object, &whole); err != nil {
			return Answer{}, err
		}
	}
	if len(whole.Choices) == 0 {
		return Answer{}, x.fail(NoChoices, "the response has no list of choices")
	}
	choice, reply := whole.Choices[0], newReply()
	reply.used(whole.Usage.PromptTokens, whole.Usage.CompletionTokens, whole.Usage.JSON.PromptTokens,
		whole.Usage.JSON.CompletionTokens)
	reply.content.add(choice.Message.JSON.Content)
	reply.refusal.add(choice.Message.JSON.Refusal)
	reply.finish = choice.FinishReason
	for _, c := range choice.Message.ToolCalls {
		next := &call{name: c.Function.Name}
		next.arguments.add(c.Function.JSON.Arguments)
		reply.calls = append(reply.calls, next)
	}
	return reply.answer(r.Params.Format), nil
}

// chunks reads a streamed chat completion.
func (x *exchange) chunks(s *ssestream.Stream[openai.ChatCompletionChunk], r Request) (Answer, error) {
	reply, n := newReply(), 0
	for ; s.Next(); n++ {
		chunk := s.Current()
		reply.used(chunk.Usage.PromptTokens, chunk.Usage.CompletionTokens, chunk.Usage.JSON.PromptTokens,
			chunk.Usage.JSON.CompletionTokens)
		if raw := chunk.JSON.Choices.Raw(); raw != "" && raw != "null" && !chunk.JSON.Choices.Valid() {
			return Answer{}, x.fail(NoChoices, "the choices of an event are not a list")
		}
		for _, choice := range chunk.Choices {
			if choice.Index == 0 {
				reply.chunk(choice)
			}
		}
	}
	empty := len(reply.content.raw)+len(reply.refusal.raw)+len(reply.calls) == 0
	switch {
	case s.Err() != nil:
		return Answer{}, s.Err()
	case n > 0 && empty && reply.finish == "" && reply.prompt >= 0:
		return Answer{}, x.fail(NoChoices, "the stream has no choices")
	case reply.finish == "":
		return Answer{}, x.fail(StreamCut, "the stream ended after %d chunks without a finish_reason", n)
	}
	return reply.answer(r.Params.Format), nil
}

// chunk adds one piece of a choice.
func (r *reply) chunk(c openai.ChatCompletionChunkChoice) {
	r.content.add(c.Delta.JSON.Content)
	r.refusal.add(c.Delta.JSON.Refusal)
	for _, t := range c.Delta.ToolCalls {
		if t.Function.Name != "" || len(r.calls) == 0 {
			r.calls = append(r.calls, &call{name: t.Function.Name})
		}
		r.calls[len(r.calls)-1].arguments.add(t.Function.JSON.Arguments)
	}
	if c.FinishReason != "" {
		r.finish = c.FinishReason
	}
}
