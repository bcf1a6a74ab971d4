package wire

// chat writes chat completions.
type chat struct{}

func (chat) whole(a Answer) object {
	message := object{{"role", "assistant"}, {"content", textOrNull(a.Text)}}
	if a.Reasoning != "" {
		message = message.with(member{"reasoning_content", a.Reasoning})
	}
	message = message.with(member{"refusal", textOrNull(a.Refusal)})
	if len(a.Calls) > 0 {
		message = message.with(member{"tool_calls", chatCalls(a.Calls)})
	}
	return object{
		{"id", a.ID},
		{"object", "chat.completion"},
		{"created", a.Created},
		{"model", a.Model},
		{"choices", []object{{{"index", 0}, {"message", message}, {"logprobs", nil}, {"finish_reason", chatFinish(a)}}}},
		{"usage", chatUsage(a.Usage)},
	}
}

func chatCalls(calls []Call) (list []object) {
	for _, c := range calls {
		list = append(list, object{
			{"id", c.ID},
			{"type", "function"},
			{"function", object{{"name", c.Name}, {"arguments", c.Arguments}}},
		})
	}
	return list
}

func (chat) stream(r *Request, a Answer) []Event {
	s := chatStream{answer: a}
	s.delta(object{{"role", "assistant"}, {"content", ""}}, nil)
	if a.Reasoning != "" {
		s.delta(object{{"reasoning_content", a.Reasoning}}, nil)
	}
	if a.Text != "" {
		for _, piece := range cut(a.Text, 2) {
			s.delta(object{{"content", piece}}, nil)
		}
	}
	if a.Refusal != "" {
		s.delta(object{{"refusal", a.Refusal}}, nil)
	}
	for i, c := range a.Calls {
		s.call(i, c)
	}
	s.delta(object{}, chatFinish(a))
	if !r.noUsage {
		s.events = append(s.events, Event{Data: s.chunk([]object{}, chatUsage(a.Usage))})
	}
	return append(s.events, Event{Data: []byte(chatEnd)})
}

// chatEnd ends a stream. It is the only event that is no JSON.
const chatEnd = "[DONE]"

// chatStream collects the chunks of a stream.
type chatStream struct {
	answer Answer
	events []Event
}

func (s *chatStream) chunk(choices []object, usage any) []byte {
	return object{
		{"id", s.answer.ID},
		{"object", "chat.completion.chunk"},
		{"created", s.answer.Created},
		{"model", s.answer.Model},
		{"choices", choices},
		{"usage", usage},
	}.json()
}

func (s *chatStream) delta(delta object, finish any) {
	choice := object{{"index", 0}, {"delta", delta}, {"finish_reason", finish}, {"logprobs", nil}}
	s.events = append(s.events, Event{Data: s.chunk([]object{choice}, nil)})
}

func (s *chatStream) call(index int, c Call) {
	s.delta(object{{"tool_calls", []object{{
		{"index", index}, {"id", c.ID}, {"type", "function"}, {"function", object{{"name", c.Name}, {"arguments", ""}}},
	}}}}, nil)
	for _, piece := range cut(c.Arguments, s.answer.Pieces) {
		s.delta(object{{"tool_calls", []object{{{"index", index}, {"function", object{{"arguments", piece}}}}}}}, nil)
	}
}

func chatFinish(a Answer) string {
	switch {
	case a.Finish == Length:
		return "length"
	case a.Finish == Filter && a.Refusal == "":
		return "content_filter"
	case len(a.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func chatUsage(u Usage) object {
	return object{
		{"prompt_tokens", u.In},
		{"completion_tokens", u.Out},
		{"total_tokens", u.In + u.Out},
		{"prompt_tokens_details", object{{"cached_tokens", 0}}},
		{"completion_tokens_details", object{{"reasoning_tokens", 0}}},
	}
}

func textOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// gemini writes the answers of generateContent.
type gemini struct{}

func (gemini) whole(a Answer) object { return geminiChunk(a, geminiParts(a), true) }

// stream gives each part an event of its own; the last one ends the answer.
func (gemini) stream(_ *Request, a Answer) []Event {
	parts := geminiParts(a)
	var events []Event
	for i := range parts {
		events = append(events, Event{Data: geminiChunk(a, parts[i:i+1], i == len(parts)-1).json()})
	}
	if events == nil {
		events = []Event{{Data: geminiChunk(a, nil, true).json()}}
	}
	return events
}

// geminiParts are the parts of an answer. There is no half call in this form: an
// answer that is cut within one has no call.
func geminiParts(a Answer) (parts []object) {
	if a.Reasoning != "" {
		parts = append(parts, object{{"text", a.Reasoning}, {"thought", true}})
	}
	if text := a.Text + a.Refusal; text != "" {
		parts = append(parts, object{{"text", text}})
	}
	if a.Finish == Length {
		return parts
	}
	for _, c := range a.Calls {
		parts = append(parts, object{{
			"functionCall",
			object{{"id", c.ID}, {"name", c.Name}, {"args", argumentsObject(c.Arguments)}},
		}})
	}
	return parts
}

func geminiChunk(a Answer, parts []object, last bool) object {
	if parts == nil {
		parts = []object{}
	}
	candidate := object{{"content", object{{"role", "model"}, {"parts", parts}}}}
	if last {
		candidate = candidate.with(member{"finishReason", geminiFinish(a)})
	}
	chunk := object{{"candidates", []object{candidate.with(member{"index", 0})}}}
	if last {
		chunk = chunk.with(member{"usageMetadata", object{
			{"promptTokenCount", a.Usage.In},
			{"candidatesTokenCount", a.Usage.Out},
			{"totalTokenCount", a.Usage.In + a.Usage.Out},
		}})
	}
	return chunk.with(member{"modelVersion", a.Model}, member{"responseId", a.ID})
}

func geminiFinish(a Answer) string {
	switch a.Finish {
	case Length:
		return "MAX_TOKENS"
	case Filter:
		return "SAFETY"
	}
	return "STOP"
}
