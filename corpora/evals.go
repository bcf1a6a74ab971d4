package corpora

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// readDocument reads a file that is one JSON document.
func readDocument(name string) (jsontext.Value, error) {
	data, err := readWhole(name)
	if err != nil {
		return nil, err
	}
	var doc jsontext.Value
	if err := json.Unmarshal(data, &doc); err != nil {
		_, text := explain(err)
		return nil, errors.New(text)
	}
	return doc, nil
}

// readPromptfoo reads the results that promptfoo writes with --output
// FILE.json, of format 3 and of the older ones with the list at the top.
func readPromptfoo(name string, found func(draft) bool) error {
	doc, err := readDocument(name)
	if err != nil {
		return err
	}
	results := lookup(doc, "results", "results")
	if results == nil {
		results = lookup(doc, "results")
	}
	if results.Kind() != '[' {
		return errors.New("no list results.results (is it a result of promptfoo?)")
	}
	for i, result := range elements(results) {
		if !found(promptfooReply(name, i, result)) {
			break
		}
	}
	return nil
}

func promptfooReply(name string, i int, result jsontext.Value) draft {
	where := fmt.Sprintf("%s: result %d", name, i)
	output := lookup(result, "response", "output")
	if output == nil {
		reason := cmp.Or(text(lookup(result, "error")), "it has no response.output")
		return draft{err: &Problem{Source: where, Text: "no reply: " + clip(reason)}}
	}
	r := Record{
		ID:           cmp.Or(text(lookup(result, "id")), fmt.Sprintf("%s:%d", name, i)),
		Reply:        harness.Reply(text(output)),
		Model:        cmp.Or(text(lookup(result, "provider", "id")), text(lookup(result, "provider"))),
		Usage:        usage(lookup(result, "response"), "tokenUsage", "prompt", "completion"),
		FinishReason: finish(text(lookup(result, "response", "finishReason"))),
		Params:       params(lookup(result, "provider", "config")),
		PromptSHA256: hash(lookup(result, "prompt", "raw")),
		Messages:     asked(lookup(result, "prompt", "raw")),
	}
	if label := text(lookup(result, "prompt", "label")); label != "" && len(label) <= 80 {
		r.Tags = append(r.Tags, "prompt:"+label)
	}
	return draft{record: r, doc: result}
}

// readInspect reads a log of inspect_ai in its JSON form.
func readInspect(name string, found func(draft) bool) error {
	doc, err := readDocument(name)
	if err != nil {
		return err
	}
	samples := lookup(doc, "samples")
	if samples == nil {
		return errors.New("no list samples (is it a log of inspect_ai, written with its samples?)")
	}
	for i, sample := range elements(samples) {
		if !found(inspectReply(name, i, sample, doc)) {
			break
		}
	}
	return nil
}

func inspectReply(name string, i int, sample, log jsontext.Value) draft {
	id, epoch := text(lookup(sample, "id")), text(lookup(sample, "epoch"))
	choice := lookup(sample, "output", "choices", "0")
	if choice == nil {
		reason := cmp.Or(text(lookup(sample, "error", "message")), "it has no output.choices")
		return draft{err: &Problem{Source: fmt.Sprintf("%s: sample %d (%s)", name, i, id), Text: "no reply: " + clip(reason)}}
	}
	r := Record{
		ID: id + "/" + epoch, Case: id,
		Model:        cmp.Or(text(lookup(log, "eval", "model")), text(lookup(sample, "output", "model"))),
		Reply:        harness.Reply(flatten(lookup(choice, "message", "content"))),
		FinishReason: finish(text(lookup(choice, "stop_reason"))),
		Usage:        usage(lookup(sample, "output"), "usage", "input_tokens", "output_tokens"),
		Params:       params(lookup(log, "plan", "config")),
	}
	if input := lookup(sample, "input"); input != nil {
		r.PromptSHA256, r.Messages = hash(input), asked(input)
	}
	return draft{record: r, doc: sample}
}

// asked makes messages of a prompt: of a list of them, or a string that holds
// one, that list; of any other text, one message of the user.
func asked(prompt jsontext.Value) jsontext.Value {
	if list := unwrap(prompt); list.Kind() == '[' {
		if list = list.Clone(); list.Compact() != nil {
			return nil
		}
		return list
	}
	if prompt.Kind() != '"' {
		return nil
	}
	return array([]jsontext.Value{message("user", text(prompt))})
}
