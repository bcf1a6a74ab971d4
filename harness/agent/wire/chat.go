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
