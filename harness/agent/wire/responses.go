package wire

import "strconv"

// responses writes the answers of the responses API.
type responses struct{}

func (responses) whole(a Answer) object {
	items := responseItems(a)
	list := make([]object, len(items))
	for i, item := range items {
		list[i] = item.done
	}
	return response(a, responseStatus(a), list)
}

// response is the response object in a state of its making.
func response(a Answer, status string, output []object) object {
	var usage, incomplete any
	if status != "in_progress" {
		usage = object{
			{"input_tokens", a.Usage.In},
			{"input_tokens_details", object{{"cached_tokens", 0}}},
			{"output_tokens", a.Usage.Out},
			{"output_tokens_details", object{{"reasoning_tokens", 0}}},
			{"total_tokens", a.Usage.In + a.Usage.Out},
		}
	}
	if status == "incomplete" {
		incomplete = object{{"reason", "max_output_tokens"}}
	}
	return object{
		{"id", a.ID},
		{"object", "response"},
		{"created_at", a.Created},
		{"status", status},
		{"error", nil},
		{"incomplete_details", incomplete},
		{"instructions", nil},
		{"max_output_tokens", nil},
		{"model", a.Model},
		{"output", output},
		{"parallel_tool_calls", true},
		{"previous_response_id", nil},
		{"reasoning", object{{"effort", nil}, {"summary", nil}}},
		{"store", false},
		{"temperature", 1},
		{"text", object{{"format", object{{"type", "text"}}}}},
		{"tool_choice", "auto"},
		{"tools", []object{}},
		{"top_p", 1},
		{"truncation", "disabled"},
		{"usage", usage},
		{"user", nil},
		{"metadata", object{}},
	}
}

func responseStatus(a Answer) string {
	if a.Finish == Length {
		return "incomplete"
	}
	return "completed"
}

// responseItem is an item of the output, with the events that make it.
type responseItem struct {
	added, done object
	make        func(s *responseStream, item string, index int)
}

func responseItems(a Answer) (list []responseItem) {
	id := func(kind string) string { return kind + "_" + strconv.Itoa(len(list)) + "_" + a.ID }
	if a.Reasoning != "" {
		part := object{{"type", "summary_text"}, {"text", a.Reasoning}}
		head := object{{"type", "reasoning"}, {"id", id("rs")}}
		list = append(list, responseItem{
			added: head.with(member{"summary", []object{}}),
			done:  head.with(member{"summary", []object{part}}, member{"encrypted_content", nil}),
			make:  func(s *responseStream, item string, index int) { s.reasoning(item, index, a.Reasoning) },
		})
	}
	if a.Text != "" {
		list = append(list, textItem(id("msg"), "text", a.Text, object{
			{"type", "output_text"},
			{"text", a.Text},
			{"annotations", []object{}},
		}))
	}
	if a.Refusal != "" {
		list = append(list, textItem(id("msg"), "refusal", a.Refusal, object{{"type", "refusal"}, {"refusal", a.Refusal}}))
	}
	for _, c := range a.Calls {
		head := func(status, arguments, item string) object {
			return object{
				{"type", "function_call"},
				{"id", item},
				{"status", status},
				{"call_id", c.ID},
				{"name", c.Name},
				{"arguments", arguments},
			}
		}
		item := id("fc")
		list = append(list, responseItem{
			added: head("in_progress", "", item), done: head(responseStatus(a), c.Arguments, item),
			make: func(s *responseStream, item string, index int) { s.call(item, index, c) },
		})
	}
	return list
}

func textItem(item, kind, text string, part object) responseItem {
	head := func(status string, content ...object) object {
		return object{
			{"type", "message"},
			{"id", item},
			{"status", status},
			{"role", "assistant"},
			{"content", append([]object{}, content...)},
		}
	}
	return responseItem{
		added: head("in_progress"), done: head("completed", part),
		make: func(s *responseStream, item string, index int) { s.text(item, index, kind, text, part) },
	}
}

func (responses) stream(_ *Request, a Answer) []Event {
	s := responseStream{answer: a}
	s.event("response.created", object{{"response", response(a, "in_progress", []object{})}})
	s.event("response.in_progress", object{{"response", response(a, "in_progress", []object{})}})
	output := []object{}
	for i, item := range responseItems(a) {
		s.event("response.output_item.added", object{{"output_index", i}, {"item", item.added}})
		item.make(&s, item.added[1].value.(string), i)
		s.event("response.output_item.done", object{{"output_index", i}, {"item", item.done}})
		output = append(output, item.done)
	}
	status := responseStatus(a)
	s.event("response."+status, object{{"response", response(a, status, output)}})
	return s.events
}

// responseStream collects the events of a stream.
type responseStream struct {
	answer Answer
	events []Event
}

func (s *responseStream) event(kind string, members object) {
	head := object{{"type", kind}, {"sequence_number", len(s.events)}}
	s.events = append(s.events, Event{kind, head.with(members...).json()})
}

func (s *responseStream) reasoning(item string, index int, text string) {
	at := object{{"item_id", item}, {"output_index", index}, {"summary_index", 0}}
	part := func(text string) member { return member{"part", object{{"type", "summary_text"}, {"text", text}}} }
	s.event("response.reasoning_summary_part.added", at.with(part("")))
	for _, piece := range cut(text, 2) {
		s.event("response.reasoning_summary_text.delta", at.with(member{"delta", piece}))
	}
	s.event("response.reasoning_summary_text.done", at.with(member{"text", text}))
	s.event("response.reasoning_summary_part.done", at.with(part(text)))
}

func (s *responseStream) text(item string, index int, kind, text string, part object) {
	at := object{{"item_id", item}, {"output_index", index}, {"content_index", 0}}
	name := map[string]string{"text": "output_text", "refusal": "refusal"}[kind]
	empty := append(object{}, part...)
	empty[1].value = ""
	s.event("response.content_part.added", at.with(member{"part", empty}))
	for _, piece := range cut(text, 2) {
		delta := at.with(member{"delta", piece})
		if kind == "text" {
			delta = delta.with(member{"logprobs", []object{}})
		}
		s.event("response."+name+".delta", delta)
	}
	s.event("response."+name+".done", at.with(member{kind, text}))
	s.event("response.content_part.done", at.with(member{"part", part}))
}

func (s *responseStream) call(item string, index int, c Call) {
	at := object{{"item_id", item}, {"output_index", index}}
	for _, piece := range cut(c.Arguments, s.answer.Pieces) {
		s.event("response.function_call_arguments.delta", at.with(member{"delta", piece}))
	}
	s.event("response.function_call_arguments.done", at.with(member{"name", c.Name}, member{"arguments", c.Arguments}))
}
