package wire

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
