package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/wire"
)

// wellFormed gives each of its answers under the name of a model.
type wellFormed struct{ fault *fault.Fault }

func (m wellFormed) Answer(_ context.Context, r *wire.Request) endpoint.Delivery {
	a := answerOf(r.Model)
	a.Model = r.Model
	return m.fault.Send(&fault.Shot{Request: r, Answer: a})
}

// names are the names in the answers.
var names = []string{"text", "call", "two", "pieces", "text-call", "refusal", "length", "reasoning"}

const arguments = `{"todos":[{"content":"prüfen 😀","status":"pending"}]}`

func answerOf(name string) wire.Answer {
	a := wire.Answer{ID: "a1", Created: 1, Finish: wire.Stop, Usage: wire.Usage{In: 11, Out: 7}}
	calls := []wire.Call{{ID: "call_1", Name: "write_todos", Arguments: arguments}}
	switch name {
	case "text":
		a.Text = "prüfen 😀"
	case "call":
		a.Calls = calls
	case "two":
		a.Calls = append(calls, wire.Call{ID: "call_2", Name: "f", Arguments: "{}"})
	case "pieces":
		a.Calls, a.Pieces = calls, 5
	case "text-call":
		a.Text, a.Calls = "I plan.", calls
	case "refusal":
		a.Refusal, a.Finish = "No.", wire.Filter
	case "length":
		a.Text, a.Finish = "I pl", wire.Length
	case "reasoning":
		a.Reasoning, a.Calls = "think hard", calls
	}
	return a
}

// read is what a client read.
type read struct {
	Way     string     `json:"way"`
	Model   string     `json:"model"`
	Text    string     `json:"text"`
	Refusal string     `json:"refusal"`
	Calls   [][]string `json:"calls"`
	Finish  string     `json:"finish"`
	Usage   []int      `json:"usage"`
	Error   string     `json:"error"`
}

// compare holds what a client read to what was sent.
func compare(t *testing.T, got read) {
	t.Helper()
	a := answerOf(got.Model)
	want := read{
		Way: got.Way, Model: got.Model, Text: a.Text, Refusal: a.Refusal, Usage: []int{11, 7},
		Finish: finish(got.Way, a),
	}
	if strings.HasPrefix(got.Way, "anthropic") { // there a refusal is a text
		want.Text, want.Refusal = a.Text+a.Refusal, ""
	}
	for _, c := range a.Calls {
		want.Calls = append(want.Calls, []string{c.ID, c.Name, c.Arguments})
	}
	if len(got.Calls) == 0 {
		got.Calls = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s, %s (-sent +read):\n%s", got.Way, got.Model, diff)
	}
}

func finish(way string, a wire.Answer) string {
	ends := [3]string{"stop", "tool_calls", "length"}
	switch {
	case strings.Contains(way, "responses"):
		ends = [3]string{"completed", "completed", "incomplete"}
	case strings.HasPrefix(way, "anthropic"):
		ends = [3]string{"end_turn", "tool_use", "max_tokens"}
	}
	switch {
	case a.Finish == wire.Length:
		return ends[2]
	case len(a.Calls) > 0:
		return ends[1]
	case a.Finish == wire.Filter && strings.HasPrefix(way, "anthropic"):
		return "refusal"
	}
	return ends[0]
}

func serve(t *testing.T, f *fault.Fault) *endpoint.Endpoint {
	t.Helper()
	e, err := endpoint.Open(wellFormed{f}, endpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestNodeClients asks with the official clients for Node.
func TestNodeClients(t *testing.T) {
	t.Parallel()
	modules := os.Getenv("REPLANBENCH_AGENTS_MODULES")
	if modules == "" {
		t.Skip("REPLANBENCH_AGENTS_MODULES does not name a folder with the npm packages openai and @anthropic-ai/sdk " +
			"(.ci/run installs them where npm is)")
	}
	e := serve(t, nil)
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"testdata/clients.mjs", modules, e.URL()},
		names...)...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, errors.String())
	}
	n := 0
	for line := range bytes.Lines(out) {
		var got read
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		compare(t, got)
		n++
	}
	if n != 6*len(names) {
		t.Errorf("%d answers were read", n)
	}
}

// TestGoClient asks with the official client for Go.
func TestGoClient(t *testing.T) {
	t.Parallel()
	e := serve(t, nil)
	for _, model := range names {
		for way, ask := range goWays(e) {
			got, err := ask(t.Context(), model)
			if err != nil {
				t.Errorf("%s, %s: %v", way, model, err)
				continue
			}
			got.Way, got.Model = way, model
			compare(t, got)
		}
	}
}

// goWays are the ways to ask with the client for Go.
func goWays(e *endpoint.Endpoint) map[string]func(context.Context, string) (read, error) {
	client := openai.NewClient(option.WithBaseURL(e.URL()+"/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0))
	question := func(model string) openai.ChatCompletionNewParams {
		return openai.ChatCompletionNewParams{
			Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
			StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		}
	}
	return map[string]func(context.Context, string) (read, error){
		"go chat": func(ctx context.Context, model string) (read, error) {
			q := question(model)
			q.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
			r, err := client.Chat.Completions.New(ctx, q)
			if err != nil {
				return read{}, err
			}
			return chatRead(*r), nil
		},
		"go chat stream": func(ctx context.Context, model string) (read, error) {
			stream := client.Chat.Completions.NewStreaming(ctx, question(model))
			var all openai.ChatCompletionAccumulator
			for stream.Next() {
				if !all.AddChunk(stream.Current()) {
					return read{}, fmt.Errorf("a chunk does not fit: %s", stream.Current().RawJSON())
				}
			}
			return chatRead(all.ChatCompletion), stream.Err()
		},
		"go responses": func(ctx context.Context, model string) (read, error) {
			r, err := client.Responses.New(ctx, responses.ResponseNewParams{
				Model: model,
				Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")},
			})
			if err != nil {
				return read{}, err
			}
			return responsesRead(*r), nil
		},
		"go responses stream": func(ctx context.Context, model string) (read, error) {
			stream := client.Responses.NewStreaming(ctx, responses.ResponseNewParams{
				Model: model,
				Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")},
			})
			var last responses.Response
			for stream.Next() {
				if e := stream.Current(); e.Type == "response.completed" || e.Type == "response.incomplete" {
					last = e.Response
				}
			}
			return responsesRead(last), stream.Err()
		},
	}
}

func chatRead(r openai.ChatCompletion) read {
	if len(r.Choices) == 0 {
		return read{Error: "no choices"}
	}
	m := r.Choices[0].Message
	got := read{
		Text: m.Content, Refusal: m.Refusal, Finish: r.Choices[0].FinishReason,
		Usage: []int{int(r.Usage.PromptTokens), int(r.Usage.CompletionTokens)},
	}
	for _, c := range m.ToolCalls {
		got.Calls = append(got.Calls, []string{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return got
}

func responsesRead(r responses.Response) read {
	got := read{
		Text: r.OutputText(), Finish: string(r.Status),
		Usage: []int{int(r.Usage.InputTokens), int(r.Usage.OutputTokens)},
	}
	for _, item := range r.Output {
		if item.Type == "function_call" {
			got.Calls = append(got.Calls, []string{item.CallID, item.Name, item.Arguments.OfString})
		}
		for _, part := range item.Content {
			got.Refusal += part.Refusal
		}
	}
	return got
}

// split delivers the answer in two pieces.
type split struct {
	wellFormed
	at *int
}

func (m split) Answer(ctx context.Context, r *wire.Request) endpoint.Delivery {
	d := m.wellFormed.Answer(ctx, r)
	d.Piece = *m.at
	return d
}

// TestSplitInBulk sends an answer in pieces of every size up to 2 kB, so that each byte
// is once the last of a piece.
func TestSplitInBulk(t *testing.T) {
	t.Parallel()
	at := 1
	e, err := endpoint.Open(split{at: &at}, endpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ask := goWays(e)["go chat stream"]
	for at = 1; at <= 2048; at++ {
		got, err := ask(t.Context(), "pieces")
		if err != nil {
			t.Fatalf("in pieces of %d bytes: %v", at, err)
		}
		got.Way, got.Model = "go chat stream", "pieces"
		compare(t, got)
	}
}
