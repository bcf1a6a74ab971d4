package corpora

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"replanbench/harness"
)

// cassette is the common format of vcrpy, go-vcr and Ruby's VCR.
type cassette struct {
	Interactions []interaction `yaml:"interactions"`
	HTTP         []interaction `yaml:"http_interactions"` // Ruby
}

type interaction struct {
	Request struct {
		URI  string    `yaml:"uri"`
		URL  string    `yaml:"url"` // go-vcr
		Body yaml.Node `yaml:"body"`
	} `yaml:"request"`
	Response struct {
		Body yaml.Node `yaml:"body"`
	} `yaml:"response"`
}

// readCassette reads a YAML cassette of calls.
func readCassette(name string, found func(draft) bool) error {
	data, err := readWhole(name)
	if err != nil {
		return err
	}
	list, err := interactions(data)
	switch {
	case err != nil:
		return err
	case len(list) == 0:
		return errors.New("no interactions (is it a cassette?)")
	}
	for n := range list {
		records, doc, err := list[n].replies()
		for k := range records {
			records[k].ID = cmp.Or(records[k].ID, fmt.Sprintf("%s:%d", name, n))
		}
		if !handOn(Problem{Source: name, Line: list[n].Response.Body.Line}, doc, records, err, found) {
			break
		}
	}
	return nil
}

func interactions(data []byte) ([]interaction, error) {
	var c cassette
	err := yaml.Unmarshal(data, &c)
	return append(c.Interactions, c.HTTP...), err
}

// Requests yields the request bodies of a YAML cassette, or an error for a body that it
// cannot read. It returns an error if the data is not a cassette.
func Requests(data []byte) (iter.Seq2[[]byte, error], error) {
	list, err := interactions(data)
	return func(yield func([]byte, error) bool) {
		for n := range list {
			if !yield(body(&list[n].Request.Body)) {
				return
			}
		}
	}, err
}

// replies returns the replies of one call, and the document for mappings.
func (i *interaction) replies() (records []answer, doc jsontext.Value, err error) {
	asked, err := body(&i.Request.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("the request: %w", err)
	}
	said, err := body(&i.Response.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("the response: %w", err)
	}
	request := jsontext.Value(asked)
	if !request.IsValid() {
		request = nil
	}
	records, err = i.exchange(request, said)
	for k := range records {
		records[k].Model = cmp.Or(records[k].Model, modelOf(i.Request.URI+i.Request.URL))
	}
	return records, pair(request, said), err
}

func (i *interaction) exchange(request jsontext.Value, said []byte) ([]answer, error) {
	if s := string(said); strings.HasPrefix(s, "data:") || strings.HasPrefix(s, "event:") {
		r := streamed(s)
		r.ask(request)
		return []answer{r}, nil
	}
	if response := jsontext.Value(said); response.IsValid() {
		return exchange(request, response)
	}
	return nil, fmt.Errorf("the response is not JSON: %s", clip(string(said)))
}

// pair returns the document for the mappings of a cassette: request and response.
func pair(request jsontext.Value, said []byte) jsontext.Value {
	response := jsontext.Value(said)
	if !response.IsValid() {
		response = nil
	}
	return encode(map[string]jsontext.Value{"request": request, "response": response})
}

// modelOf returns the model in the URL of a Gemini or Bedrock call.
func modelOf(address string) string {
	m := regexp.MustCompile(`/models/([^/:?]+)|/model/([^/?]+)/converse`).FindStringSubmatch(address)
	if m == nil {
		return ""
	}
	name, err := url.PathUnescape(m[1] + m[2])
	if err != nil {
		return m[1] + m[2]
	}
	return name
}

// body returns the decompressed body: a string, base64 bytes, or an object with the member
// string or base64_string.
func body(n *yaml.Node) ([]byte, error) {
	if n.Kind == yaml.MappingNode {
		for k := 0; k+1 < len(n.Content); k += 2 {
			switch n.Content[k].Value {
			case "string":
				return body(n.Content[k+1])
			case "base64_string":
				return decoded(n.Content[k+1].Value)
			}
		}
		return nil, fmt.Errorf("line %d: a body without the member string", n.Line)
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return nil, nil
	}
	if n.Tag == "!!binary" {
		return decoded(n.Value)
	}
	return []byte(n.Value), nil
}

func decoded(s string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return nil, fmt.Errorf("the body is not valid base64: %w", err)
	}
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the body is damaged gzip: %w", err)
	}
	data, err = io.ReadAll(io.LimitReader(z, MaxLine))
	if err != nil {
		return nil, fmt.Errorf("the body is damaged gzip: %w", err)
	}
	return data, nil
}

// streamed joins the server-sent events of a reply.
func streamed(s string) answer {
	var r answer
	var said strings.Builder
	for line := range strings.Lines(s) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		event := jsontext.Value(strings.TrimSpace(data))
		if !ok || !event.IsValid() {
			continue
		}
		if end := text(lookup(event, "type")); end == "response.completed" || end == "response.incomplete" {
			if whole, err := replies(lookup(event, "response")); err == nil {
				whole[0].Tags = append(whole[0].Tags, "streamed")
				return whole[0]
			}
		}
		said.WriteString(delta(event))
		r.stream(event)
		keep(&r.ID, event, "id", "message.id", "responseId")
		keep(&r.Model, event, "model", "message.model", "modelVersion")
		keep(&r.FinishReason, event, "choices.0.finish_reason", "delta.stop_reason", "candidates.0.finishReason")
		r.count(event)
	}
	r.FinishReason = finish(r.FinishReason)
	r.Reply = harness.Reply(said.String())
	r.Tags = append(r.Tags, "streamed")
	return r
}

// delta returns the text of an event.
func delta(event jsontext.Value) string {
	if s := text(lookup(event, "choices", "0", "delta", "content")); s != "" {
		return s
	}
	if s := text(lookup(event, "delta", "text")); s != "" {
		return s
	}
	return flatten(lookup(event, "candidates", "0", "content", "parts"))
}

// stream adds the tool calls of an event. Pieces of arguments belong to the last named
// call.
func (a *answer) stream(event jsontext.Value) {
	pieces := elements(lookup(event, "choices", "0", "delta", "tool_calls"))
	pieces = append(pieces, elements(lookup(event, "candidates", "0", "content", "parts"))...)
	for _, p := range append(pieces, lookup(event, "content_block"), event) {
		for _, path := range []string{"function.name", "name", "functionCall.name"} {
			if name := text(lookup(p, strings.Split(path, ".")...)); name != "" {
				a.calls = append(a.calls, call{name: name})
			}
		}
		for _, path := range []string{"function.arguments", "delta.partial_json", "functionCall.args"} {
			if last := len(a.calls) - 1; last >= 0 {
				a.calls[last].arguments += text(lookup(p, strings.Split(path, ".")...))
			}
		}
	}
}

// keep sets s to the first of the paths that the event has.
func keep(s *string, event jsontext.Value, paths ...string) {
	for _, p := range paths {
		if v := lookup(event, strings.Split(p, ".")...); v != nil {
			*s = text(v)
			return
		}
	}
}

// count sets the token counts of an event. Later events replace earlier counts.
func (r *Record) count(event jsontext.Value) {
	var prompt, completion string
	keep(&prompt, event, "usage.prompt_tokens", "message.usage.input_tokens", "usageMetadata.promptTokenCount")
	keep(&completion, event, "usage.completion_tokens", "usage.output_tokens", "usageMetadata.candidatesTokenCount")
	if prompt == "" && completion == "" {
		return
	}
	if r.Usage == nil {
		r.Usage = &Usage{}
	}
	_, _ = fmt.Sscan(prompt, &r.Usage.PromptTokens) // "" leaves what was said before
	_, _ = fmt.Sscan(completion, &r.Usage.CompletionTokens)
}
