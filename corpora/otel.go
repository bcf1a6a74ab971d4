package corpora

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readOTel reads spans of OpenTelemetry: the JSON form of OTLP, one request per document or
// line, or spans of the console exporters.
func readOTel(name string, found func(draft) bool) error {
	return documents(name, found, []string{"spans"}, func(doc jsontext.Value) (list []answer, err error) {
		spans := []jsontext.Value{doc}
		if resources := elements(lookup(doc, "resourceSpans")); resources != nil {
			spans = nil
			for _, r := range resources {
				for _, scope := range elements(lookup(r, "scopeSpans")) {
					spans = append(spans, elements(lookup(scope, "spans"))...)
				}
			}
		} else if lookup(doc, "attributes") == nil {
			return nil, errors.New("no span (an OTLP document has resourceSpans, a span has attributes)")
		}
		var errs []error
		for _, span := range spans {
			answers, err := spanReplies(span)
			list, errs = append(list, answers...), append(errs, err)
		}
		return list, errors.Join(errs...)
	})
}

// spanReplies returns the replies in a span; none for a span that calls no model.
func spanReplies(span jsontext.Value) ([]answer, error) {
	all := attributes(lookup(span, "attributes"))
	for _, event := range elements(lookup(span, "events")) {
		maps.Copy(all, attributes(lookup(event, "attributes")))
	}
	output, input := unwrap(all["gen_ai.output.messages"]), unwrap(all["gen_ai.input.messages"])
	if output == nil {
		output, input = indexed(all, "gen_ai.completion."), indexed(all, "gen_ai.prompt.")
	}
	if output == nil {
		output, input = spanEvents(elements(lookup(span, "events")))
	}
	id := text(first(span, "spanId", "span_id", "context.span_id"))
	switch operation := text(all["gen_ai.operation.name"]); {
	case output == nil && (operation == "chat" || operation == "generate_content" || operation == "text_completion"):
		return nil, fmt.Errorf("span %s has no gen_ai.output.messages (record the content of messages)", id)
	case output == nil || operation == "invoke_agent" || operation == "execute_tool":
		return nil, nil
	}
	x := chatExchange{
		id: id, prompt: sayAll(elements(input)), reply: sayAll(elements(output)),
		finish: text(first(output, "0.finish_reason")), params: map[string]jsontext.Value{},
		model: text(firstOf(all, "gen_ai.response.model", "gen_ai.request.model")),
	}
	for _, name := range []string{"temperature", "top_p", "top_k", "max_tokens", "seed"} {
		x.params[name] = all["gen_ai.request."+name]
	}
	x.usage = counts(firstOf(all, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
		firstOf(all, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"))
	answers, err := x.answers()
	for i := range answers {
		answers[i].session = text(firstOf(all, "gen_ai.conversation.id"))
		if answers[i].session == "" {
			answers[i].session = text(first(span, "traceId", "trace_id", "context.trace_id"))
		}
	}
	return answers, err
}

// spanEvents reads the messages that instrumentation before version 1.37 of the semantic
// conventions records as events of a span: one event per message and one per choice.
func spanEvents(events []jsontext.Value) (output, input jsontext.Value) {
	var said, asked []jsontext.Value
	for _, event := range events {
		all := attributes(lookup(event, "attributes"))
		if body := unwrap(firstOf(all, "gen_ai.event.content", "body")); body.Kind() == '{' {
			all = attributes(body)
		}
		name := text(lookup(event, "name"))
		if message := unwrap(all["message"]); name == "gen_ai.choice" && message.Kind() == '{' {
			maps.Copy(all, attributes(message))
		}
		role, isMessage := strings.CutSuffix(strings.TrimPrefix(name, "gen_ai."), ".message")
		m := map[string]jsontext.Value{}
		for _, as := range []string{"role", "content", "tool_calls", "finish_reason"} {
			if v := all[as]; v != nil {
				m[as] = v
			}
		}
		if id := all["id"]; id != nil {
			m["tool_call_id"] = id
		}
		if calls := unwrap(m["tool_calls"]); calls != nil {
			m["tool_calls"] = calls
		}
		switch {
		case name == "gen_ai.choice":
			m["role"] = quote("assistant")
			said = append(said, encode(m))
		case isMessage:
			m["role"] = quote(cmp.Or(text(m["role"]), role))
			asked = append(asked, encode(m))
		}
	}
	if said == nil {
		return nil, nil
	}
	return encode(said), encode(asked)
}

func firstOf(all map[string]jsontext.Value, names ...string) jsontext.Value {
	for _, name := range names {
		if v := all[name]; v != nil {
			return v
		}
	}
	return nil
}

// attributes returns attributes by name: an object, or OTLP's list of keys and values.
func attributes(v jsontext.Value) map[string]jsontext.Value {
	all := map[string]jsontext.Value{}
	if v.Kind() == '{' {
		if json.Unmarshal(v, &all) != nil {
			return map[string]jsontext.Value{}
		}
		return all
	}
	for _, a := range elements(v) {
		if name := text(lookup(a, "key")); name != "" {
			all[name] = anyValue(lookup(a, "value"), 0)
		}
	}
	return all
}

// maxNesting limits the nesting of attribute values.
const maxNesting = 64

// anyValue converts a value of OTLP to JSON. Integers are texts there.
func anyValue(v jsontext.Value, depth int) jsontext.Value {
	if depth > maxNesting {
		return nil
	}
	if list := lookup(v, "arrayValue"); list != nil {
		var all []jsontext.Value
		for _, one := range elements(lookup(list, "values")) {
			all = append(all, anyValue(one, depth+1))
		}
		return encode(all)
	}
	if list := lookup(v, "kvlistValue"); list != nil {
		all := map[string]jsontext.Value{}
		for _, one := range elements(lookup(list, "values")) {
			all[text(lookup(one, "key"))] = anyValue(lookup(one, "value"), depth+1)
		}
		return encode(all)
	}
	if n := jsontext.Value(text(lookup(v, "intValue"))); n.Kind() == '0' && n.IsValid() {
		return n
	}
	return first(v, "stringValue", "boolValue", "doubleValue")
}

// maxIndexed limits the messages and calls that indexed attributes describe.
const maxIndexed = 10_000

// indexed collects the messages that older instrumentation spreads over attributes, such as
// gen_ai.prompt.0.role.
func indexed(all map[string]jsontext.Value, prefix string) jsontext.Value {
	var list []jsontext.Value
	for i := range maxIndexed {
		at := fmt.Sprintf("%s%d.", prefix, i)
		m := map[string]jsontext.Value{}
		for _, name := range []string{"role", "content", "finish_reason", "tool_call_id"} {
			if v := all[at+name]; v != nil {
				m[name] = v
			}
		}
		var calls []jsontext.Value
		for k := range maxIndexed {
			of := fmt.Sprintf("%stool_calls.%d.", at, k)
			if all[of+"name"] == nil {
				break
			}
			calls = append(calls, encode(map[string]jsontext.Value{
				"id": all[of+"id"], "name": all[of+"name"], "arguments": all[of+"arguments"],
			}))
		}
		if calls != nil {
			m["tool_calls"] = encode(calls)
		}
		if len(m) == 0 {
			break
		}
		list = append(list, encode(m))
	}
	if list == nil {
		return nil
	}
	return encode(list)
}

// readLangSmith reads runs of LangSmith. Only runs of models have replies. They contain all
// earlier messages of their thread.
func readLangSmith(name string, found func(draft) bool) error {
	return documents(name, found, []string{"runs"}, func(run jsontext.Value) ([]answer, error) {
		switch kind := text(lookup(run, "run_type")); {
		case kind == "":
			return nil, errors.New("not a run of LangSmith (it has no run_type)")
		case kind != "llm":
			return nil, nil
		}
		if e := text(lookup(run, "error")); e != "" {
			return nil, fmt.Errorf("the run failed: %s", clip(e))
		}
		answers, err := langSmithReply(run)
		for i := range answers {
			answers[i].session = text(first(run, "extra.metadata.thread_id", "extra.metadata.session_id", "trace_id"))
		}
		return answers, err
	})
}

// langSmithReply reads the outputs of LangChain (generations), of the wrappers around the
// clients of OpenAI and Anthropic, and of functions that return a message.
func langSmithReply(run jsontext.Value) ([]answer, error) {
	out, in := lookup(run, "outputs"), lookup(run, "inputs")
	x := chatExchange{
		id: text(lookup(run, "id")), prompt: sayAll(elements(lookup(in, "messages"))),
		model: text(first(run, "outputs.llm_output.model_name", "extra.metadata.ls_model_name", "extra.invocation_params.model",
			"extra.invocation_params.model_name", "outputs.model")),
		params: map[string]jsontext.Value{
			"temperature": first(run, "extra.metadata.ls_temperature", "extra.invocation_params.temperature"),
			"max_tokens":  first(run, "extra.metadata.ls_max_tokens", "extra.invocation_params.max_tokens"),
		},
		usage: counts(lookup(run, "prompt_tokens"), lookup(run, "completion_tokens")),
	}
	if response := out; first(response, "choices") != nil || first(response, "stop_reason") != nil {
		request := encode(map[string]any{"messages": x.prompt, "model": x.model})
		return exchange(request, response)
	}
	for _, g := range flat(lookup(out, "generations")) {
		x.finish = text(first(g, "generation_info.finish_reason", "message.kwargs.response_metadata.finish_reason",
			"message.kwargs.response_metadata.stop_reason"))
		m := said{Role: "assistant", Content: lookup(g, "text")}
		if message := lookup(g, "message"); message != nil {
			m = say(message)
		}
		x.reply = append(x.reply, m)
	}
	if message := first(out, "message"); x.reply == nil && message != nil {
		x.reply = []said{say(message)}
	} else if list := elements(lookup(out, "messages")); x.reply == nil && list != nil {
		x.reply = []said{say(list[len(list)-1])}
	} else if x.reply == nil && first(out, "content") != nil {
		x.reply = []said{say(out)}
	}
	if x.reply == nil {
		return nil, errors.New("the outputs have none of generations, choices, message, messages, content")
	}
	return x.answers()
}

// flat returns the elements of a list of lists.
func flat(list jsontext.Value) (all []jsontext.Value) {
	for _, v := range elements(list) {
		if v.Kind() == '[' {
			all = append(all, elements(v)...)
		} else {
			all = append(all, v)
		}
	}
	return all
}
