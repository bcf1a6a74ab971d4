package corpora

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/escape"
)

// answer is the reply of an endpoint: a record with the text, and the tool calls. Or it is
// the result of a call in a session.
type answer struct {
	Record
	calls   []call
	earlier []call  // of the request
	session string  // the session of a request that contains all earlier calls
	thread  string  // of a session: calls of one find what those before it left
	of      string  // the id of a call with this result; there is no reply then
	result  *effect // of that call
	// resumable says that the session may have begun with a list that it does not show.
	resumable bool
	// empties says that the tool empties a list whose items are all done.
	empties bool
	unknown bool // whether nothing shows the plan that the call found
	mapped  bool // whether only a mapping gives the reply
}

// call is one call of a tool, with its result; nil if the recording does not show one.
type call struct {
	name, arguments, id string
	result              *effect
}

// calling returns the calls among some values, with their names and arguments at dotted paths.
// Arguments are an object or a string with an object.
func calling(name, arguments string, list ...jsontext.Value) (calls []call) {
	for _, v := range list {
		if in := first(v, arguments); in != nil {
			calls = append(calls, call{name: text(first(v, name)), arguments: text(in), id: text(first(v, "id", "call_id"))})
		}
	}
	return calls
}

// choose sets the reply to the arguments of the named tool or, without a name, of the first
// call.
func (a *answer) choose(tool string) {
	i := slices.IndexFunc(a.calls, func(c call) bool { return c.name == tool })
	if i < 0 && len(a.calls) > 0 && a.Reply == "" {
		i = 0
	}
	if i >= 0 {
		a.Reply = harness.Reply(a.calls[i].arguments)
		a.Tags = append(a.Tags, "tool_call:"+a.calls[i].name)
	}
}

// exchange returns the replies of one call from the bodies of the request (nil if unknown)
// and the response. It reads OpenAI's chat completions and responses, Anthropic's messages,
// Gemini's generateContent, and Bedrock's Converse.
func exchange(request, response jsontext.Value) ([]answer, error) {
	replies, err := replies(response)
	if err != nil {
		return nil, err
	}
	for i := range replies {
		replies[i].ask(request)
	}
	return replies, nil
}

// ask stores the members of the request.
func (a *answer) ask(request jsontext.Value) {
	a.Model = cmp.Or(a.Model, text(lookup(request, "model")), text(lookup(request, "modelId")))
	a.Params, a.PromptSHA256, a.Messages = params(request), prompt(request), messages(request)
	a.earlier = earlier(request)
}

// written reports whether the reply is the edit itself, as in a table: without a request, no tool was offered.
func (a *answer) written() bool {
	return a.calls == nil && a.PromptSHA256 == "" && a.thread == "" && a.session == ""
}

func replies(response jsontext.Value) ([]answer, error) {
	if response.Kind() != '{' {
		return nil, errors.New("the response is not a JSON object")
	}
	if e := lookup(response, "error"); e != nil {
		return nil, fmt.Errorf("the response is an error, not a reply: %s", clip(cmp.Or(text(lookup(e, "message")), text(e))))
	}
	switch {
	case lookup(response, "choices") != nil:
		return chatReplies(response)
	case lookup(response, "candidates") != nil:
		return geminiReplies(response)
	case lookup(response, "content").Kind() == '[':
		return anthropicReplies(response)
	case lookup(response, "output").Kind() == '[':
		return responsesReplies(response)
	case lookup(response, "output", "message") != nil:
		return converseReplies(response)
	}
	return nil, errors.New("the response has none of choices, candidates, content, output (it is not a model reply)")
}

func clip(s string) string { return escape.HeadBytes(s, 200) }

// chatReplies reads OpenAI's chat completions.
func chatReplies(response jsontext.Value) ([]answer, error) {
	var body struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Usage   *Usage `json:"usage"`
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content   jsontext.Value `json:"content"`
				Refusal   string         `json:"refusal"`
				ToolCalls []struct {
					ID       string `json:"id"`
					Function struct {
						Name      string `json:"name"`
						Arguments string `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(response, &body); err != nil {
		return nil, fmt.Errorf("the response is not a chat completion: %w", err)
	}
	if len(body.Choices) == 0 {
		return nil, errors.New("the response has no choice")
	}
	var list []answer
	for i, c := range body.Choices {
		r := answer{Record: Record{ID: body.ID, Model: body.Model, Usage: body.Usage, FinishReason: c.FinishReason}}
		if i > 0 {
			r.Usage = nil // it sums all choices
		}
		for _, t := range c.Message.ToolCalls {
			r.calls = append(r.calls, call{name: t.Function.Name, arguments: t.Function.Arguments, id: t.ID})
		}
		if r.Reply = harness.Reply(flatten(c.Message.Content)); r.Reply == "" && r.calls == nil && c.Message.Refusal != "" {
			r.Reply = harness.Reply(c.Message.Refusal)
			r.Tags = append(r.Tags, "refusal")
		}
		list = append(list, r)
	}
	return list, nil
}

// responsesReplies reads OpenAI's responses.
func responsesReplies(response jsontext.Value) ([]answer, error) {
	r := answer{Record: Record{
		ID: text(lookup(response, "id")), Model: text(lookup(response, "model")),
		FinishReason: "stop",
	}}
	var said strings.Builder
	for _, item := range elements(lookup(response, "output")) {
		switch text(lookup(item, "type")) {
		case "message":
			said.WriteString(flatten(lookup(item, "content")))
		case "function_call":
			r.calls = append(r.calls, calling("name", "arguments", item)...)
		}
	}
	if text(lookup(response, "incomplete_details", "reason")) == "max_output_tokens" {
		r.FinishReason = "length"
	}
	r.Reply = harness.Reply(said.String())
	r.Usage = usage(response, "usage", "input_tokens", "output_tokens")
	return []answer{r}, nil
}

// anthropicReplies reads Anthropic's messages.
func anthropicReplies(response jsontext.Value) ([]answer, error) {
	content := lookup(response, "content")
	return []answer{{Record: Record{
		ID: text(lookup(response, "id")), Model: text(lookup(response, "model")),
		Reply:        harness.Reply(flatten(content)),
		FinishReason: finish(text(lookup(response, "stop_reason"))),
		Usage:        usage(response, "usage", "input_tokens", "output_tokens"),
	}, calls: calling("name", "input", elements(content)...)}}, nil
}

// converseReplies reads Bedrock's Converse. Only the URL names the model.
func converseReplies(response jsontext.Value) ([]answer, error) {
	content := lookup(response, "output", "message", "content")
	return []answer{{Record: Record{
		Reply:        harness.Reply(flatten(content)),
		FinishReason: finish(text(lookup(response, "stopReason"))),
		Usage:        usage(response, "usage", "inputTokens", "outputTokens"),
	}, calls: calling("toolUse.name", "toolUse.input", elements(content)...)}}, nil
}

// geminiReplies reads Gemini's generateContent.
func geminiReplies(response jsontext.Value) ([]answer, error) {
	var list []answer
	for i, c := range elements(lookup(response, "candidates")) {
		parts := lookup(c, "content", "parts")
		r := answer{Record: Record{
			ID: text(lookup(response, "responseId")), Model: text(lookup(response, "modelVersion")),
			Reply:        harness.Reply(flatten(parts)),
			FinishReason: finish(text(lookup(c, "finishReason"))),
		}, calls: calling("functionCall.name", "functionCall.args", elements(parts)...)}
		if i == 0 {
			r.Usage = usage(response, "usageMetadata", "promptTokenCount", "candidatesTokenCount")
		}
		list = append(list, r)
	}
	if list == nil {
		return nil, errors.New("the response has no candidate")
	}
	return list, nil
}

// flatten joins the text of a content that is a string or a list of parts. It skips
// thoughts.
func flatten(content jsontext.Value) string {
	switch content.Kind() {
	case '"':
		return text(content)
	case '[':
		var all strings.Builder
		for _, part := range elements(content) {
			if part.Kind() == '{' && text(lookup(part, "thought")) != "true" {
				all.WriteString(text(lookup(part, "text")))
			}
		}
		return all.String()
	}
	return ""
}

// finish translates finish reasons into OpenAI's terms.
func finish(reason string) string {
	switch reason {
	case "end_turn", "stop_sequence", "STOP":
		return "stop"
	case "max_tokens", "MAX_TOKENS", "model_length":
		return "length"
	case "tool_use", "tool_call":
		return "tool_calls"
	case "refusal", "SAFETY", "PROHIBITED_CONTENT", "guardrail_intervened", "content_filtered":
		return "content_filter"
	}
	return reason
}

// usage reads the token counts with the endpoint's member names.
func usage(response jsontext.Value, member, prompt, completion string) *Usage {
	return counts(lookup(response, member, prompt), lookup(response, member, completion))
}

// counts returns the token counts, or nil if one of them is no number.
func counts(prompt, completion jsontext.Value) *Usage {
	var u Usage
	if json.Unmarshal(prompt, &u.PromptTokens) != nil || json.Unmarshal(completion, &u.CompletionTokens) != nil {
		return nil
	}
	return &u
}

// params returns the sampling parameters of a request in OpenAI's terms.
func params(request jsontext.Value) jsontext.Value {
	out := map[string]jsontext.Value{}
	for _, name := range []string{
		"temperature", "top_p", "top_k", "seed", "max_tokens", "max_completion_tokens", "max_output_tokens",
		"stop", "frequency_penalty", "presence_penalty", "reasoning_effort",
	} {
		if v := lookup(request, name); v != nil {
			out[name] = v
		}
	}
	for _, name := range [][2]string{ // Gemini's, Bedrock's and OpenAI's; the last one counts
		{"generationConfig.temperature", "temperature"},
		{"generationConfig.topP", "top_p"},
		{"generationConfig.topK", "top_k"},
		{"generationConfig.seed", "seed"},
		{"generationConfig.maxOutputTokens", "max_tokens"},
		{"generationConfig.stopSequences", "stop"},
		{"generationConfig.responseMimeType", "response_format"},
		{"inferenceConfig.temperature", "temperature"},
		{"inferenceConfig.topP", "top_p"},
		{"inferenceConfig.maxTokens", "max_tokens"},
		{"inferenceConfig.stopSequences", "stop"},
		{"response_format.type", "response_format"},
		{"text.format.type", "response_format"},
	} {
		if v := first(request, name[0]); v != nil {
			out[name[1]] = v
		}
	}
	if len(out) == 0 {
		return nil
	}
	return encode(out)
}

// prompt returns the hash of the messages in a request.
func prompt(request jsontext.Value) string {
	for _, name := range []string{"messages", "contents", "input", "prompt"} {
		if v := lookup(request, name); v != nil {
			return hash(v)
		}
	}
	return ""
}

// messages returns the messages of a request as a list of {role, content}, or nil for an
// unknown format.
func messages(request jsontext.Value) jsontext.Value {
	system, list := lookup(request, "system"), lookup(request, "messages")
	if list == nil {
		system, list = lookup(request, "systemInstruction", "parts"), geminiMessages(lookup(request, "contents"))
	}
	if list.Kind() != '[' {
		return nil
	}
	if system == nil {
		list = list.Clone()
		if list.Compact() != nil {
			return nil
		}
		return list
	}
	all := []jsontext.Value{message("system", flatten(system))}
	return encode(append(all, elements(list)...))
}

// geminiMessages converts Gemini contents into messages. It returns nil for other values.
func geminiMessages(contents jsontext.Value) jsontext.Value {
	if contents.Kind() != '[' {
		return nil
	}
	var list []jsontext.Value
	for _, c := range elements(contents) {
		role := text(lookup(c, "role"))
		if role == "model" {
			role = "assistant"
		}
		list = append(list, message(cmp.Or(role, "user"), flatten(lookup(c, "parts"))))
	}
	return encode(list)
}

func message(role, content string) jsontext.Value {
	return encode(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{role, content})
}
