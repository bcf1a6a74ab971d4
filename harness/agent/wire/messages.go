package wire

// messages writes the answers of Anthropic's messages API.
type messages struct{}

func (messages) whole(a Answer) object {
	content := []object{}
	if a.Reasoning != "" {
		content = append(content, object{{"type", "thinking"}, {"thinking", a.Reasoning}, {"signature", signature}})
	}
	if text := a.Text + a.Refusal; text != "" {
		content = append(content, object{{"type", "text"}, {"text", text}})
	}
	for _, c := range a.Calls {
		content = append(content, object{
			{"type", "tool_use"},
			{"id", c.ID},
			{"name", c.Name},
			{"input", argumentsObject(c.Arguments)},
		})
	}
	return message(a, content, messagesFinish(a), a.Usage.Out)
}

// signature replaces the model's signature of its reasoning.
const signature = "c2ln"

func message(a Answer, content []object, stop any, out int) object {
	return object{
		{"id", a.ID},
		{"type", "message"},
		{"role", "assistant"},
		{"model", a.Model},
		{"content", content},
		{"stop_reason", stop},
		{"stop_sequence", nil},
		{"usage", object{
			{"input_tokens", a.Usage.In},
			{"cache_creation_input_tokens", 0},
			{"cache_read_input_tokens", 0},
			{"output_tokens", out},
			{"service_tier", "standard"},
		}},
	}
}

func (messages) stream(_ *Request, a Answer) []Event {
	s := messageStream{}
	s.event("message_start", object{{"message", message(a, []object{}, nil, 1)}})
	if a.Reasoning != "" {
		s.block(object{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}, "thinking_delta", "thinking",
			cut(a.Reasoning, 2),
			object{{"type", "signature_delta"}, {"signature", signature}})
	}
	if text := a.Text + a.Refusal; text != "" {
		s.block(object{{"type", "text"}, {"text", ""}}, "text_delta", "text", cut(text, 2))
	}
	for _, c := range a.Calls {
		pieces := append([]string{""}, cut(c.Arguments, a.Pieces)...)
		s.block(object{{"type", "tool_use"}, {"id", c.ID}, {"name", c.Name}, {"input", object{}}}, "input_json_delta",
			"partial_json", pieces)
	}
	s.event("message_delta", object{
		{"delta", object{{"stop_reason", messagesFinish(a)}, {"stop_sequence", nil}}},
		{"usage", object{{"output_tokens", a.Usage.Out}}},
	})
	s.event("message_stop", nil)
	return s.events
}

// messageStream collects the events of a stream.
type messageStream struct {
	events []Event
	blocks int
}

func (s *messageStream) event(kind string, members object) {
	s.events = append(s.events, Event{kind, object{{"type", kind}}.with(members...).json()})
}

func (s *messageStream) block(start object, kind, name string, pieces []string, last ...object) {
	at := member{"index", s.blocks}
	s.event("content_block_start", object{at, {"content_block", start}})
	if s.blocks == 0 {
		s.event("ping", nil)
	}
	for _, piece := range pieces {
		s.event("content_block_delta", object{at, {"delta", object{{"type", kind}, {name, piece}}}})
	}
	for _, delta := range last {
		s.event("content_block_delta", object{at, {"delta", delta}})
	}
	s.event("content_block_stop", object{at})
	s.blocks++
}

func messagesFinish(a Answer) string {
	switch {
	case a.Finish == Length:
		return "max_tokens"
	case a.Finish == Filter:
		return "refusal"
	case len(a.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}
