package corpora

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

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
