package wire_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/harness/agent/wire"
	"replanbench/harness/history"
	"replanbench/harness/testdata/golden"
)

// answers are the well-formed ones.
func answers() map[string]wire.Answer {
	a := wire.Answer{ID: "a1", Model: "m", Created: 1, Finish: wire.Stop, Usage: wire.Usage{In: 11, Out: 7}}
	call := wire.Call{
		ID: "call_1", Name: "write_todos",
		Arguments: `{"todos":[{"content":"prüfen 😀","status":"pending"}]}`,
	}
	with := func(change func(*wire.Answer)) wire.Answer {
		b := a
		change(&b)
		return b
	}
	return map[string]wire.Answer{
		"text":      with(func(a *wire.Answer) { a.Text = "prüfen 😀" }),
		"call":      with(func(a *wire.Answer) { a.Calls = []wire.Call{call} }),
		"two":       with(func(a *wire.Answer) { a.Calls = []wire.Call{call, {ID: "call_2", Name: "f", Arguments: "{}"}} }),
		"pieces":    with(func(a *wire.Answer) { a.Calls, a.Pieces = []wire.Call{call}, 5 }),
		"text-call": with(func(a *wire.Answer) { a.Text, a.Calls = "I plan.", []wire.Call{call} }),
		"refusal":   with(func(a *wire.Answer) { a.Refusal, a.Finish = "No.", wire.Filter }),
		"length":    with(func(a *wire.Answer) { a.Text, a.Finish = "I pl", wire.Length }),
		"half": with(func(a *wire.Answer) {
			call.Arguments = `{"to`
			a.Calls, a.Finish = []wire.Call{call},
				wire.Length
		}),
		"reasoning": with(func(a *wire.Answer) { a.Reasoning, a.Calls = "think hard", []wire.Call{call} }),
	}
}

// TestWrite holds the bytes of every answer in every form to the goldens, and
// every event to JSON.
func TestWrite(t *testing.T) {
	t.Parallel()
	paths := map[wire.API]string{
		wire.Chat: "/v1/chat/completions", wire.Responses: "/v1/responses", wire.Messages: "/v1/messages",
		wire.Gemini: "/v1beta/models/m:generateContent",
	}
	for _, api := range []wire.API{wire.Chat, wire.Responses, wire.Messages, wire.Gemini} {
		for _, stream := range []bool{true, false} {
			var all strings.Builder
			for _, name := range []string{
				"text", "call", "two", "pieces", "text-call", "refusal", "length", "half",
				"reasoning",
			} {
				path, body := paths[api], `{"stream":false,"stream_options":{"include_usage":true}}`
				if stream {
					path, body = strings.Replace(path, ":g", ":streamG", 1), strings.Replace(body, "false", "true", 1)
				}
				r, err := wire.Read(path, []byte(body), false)
				if err != nil {
					t.Fatal(err)
				}
				events := wire.Write(r, answers()[name])
				for _, e := range events {
					if !jsontext.Value(e.Data).IsValid() && string(e.Data) != "[DONE]" {
						t.Errorf("%s %s: no JSON: %s", api, name, e.Data)
					}
				}
				all.WriteString("## " + name + "\n" + string(wire.Frame(r, events, "\n")) + "\n")
			}
			file := strings.ReplaceAll(string(api), " ", "-")
			if stream {
				file += ".stream"
			}
			golden.Check(t, "testdata/"+file+".golden", []byte(all.String()))
		}
	}
}

// TestRead reads one conversation in each form.
func TestRead(t *testing.T) {
	t.Parallel()
	want := []wire.Message{
		{Role: history.System, Text: "Be brief."},
		{Role: history.User, Text: "fix"},
		{Role: history.Assistant, Calls: []wire.Call{{ID: "c1", Name: "f", Arguments: `{"a":1}`}}},
		{Role: history.Tool, Text: "ok", Result: &wire.Result{CallID: "c1", Text: "ok"}},
	}
	tools := []wire.Tool{{Name: "f", Text: "does f", Schema: jsontext.Value(`{"type":"object"}`)}}
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"m","stream":true,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"fix"}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}],
			"tools":[{"type":"function","function":{"name":"f","description":"does f","parameters":{"type":"object"}}}]}`,
		"/responses": `{"model":"m","stream":true,"instructions":"Be brief.","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"fix"}]},
			{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},{"type":"function_call_output","call_id":"c1","output":"ok"},{"type":"function_call_output","name":"notice","output":"x"}],
			"tools":[{"type":"function","name":"f","description":"does f","parameters":{"type":"object"}}]}`,
		"/v1/messages": `{"model":"m","stream":true,"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":"fix"},
			{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"ok"}]}]}],
			"tools":[{"name":"f","description":"does f","input_schema":{"type":"object"}}]}`,
		"/v1beta/models/m:streamGenerateContent": `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"fix"}]},
			{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{"a":1}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"ok"}}}]}],
			"tools":[{"functionDeclarations":[{"name":"f","description":"does f","parametersJsonSchema":{"type":"object"}}]}]}`,
	} {
		r, err := wire.Read(path, []byte(body), false)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if diff := cmp.Diff(want, r.Messages, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: messages (-want +got):\n%s", path, diff)
		}
		if diff := cmp.Diff(tools, r.Tools); diff != "" || !r.Stream || r.Model != "m" {
			t.Errorf("%s: tools (-want +got), stream %v, model %q:\n%s", path, r.Stream, r.Model, diff)
		}
	}
}

// TestGeminiWithoutIDs pairs calls and responses that have no ids by their names.
// TestSaid reads the reminder behind the last answer, and the instructions.
func TestSaid(t *testing.T) {
	t.Parallel()
	r, err := wire.Read("/v1/messages", []byte(`{"system":"Plan: none","messages":[
		{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"set","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"},{"type":"text","text":"Plan: 1"}]}]}`),
		false)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{r.Said(wire.Behind), r.Said(wire.System)}
	if diff := cmp.Diff([]string{"Plan: 1", "Plan: none"}, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func TestGeminiWithoutIDs(t *testing.T) {
	t.Parallel()
	r, err := wire.Read("/v1beta/models/a/b:generateContent", []byte(`{"contents":[
		{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":"no"}}},{"functionResponse":{"name":"f","response":{"x":1}}}]}]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	calls := r.Messages[0].Calls
	if r.Model != "a/b" || calls[0].ID == calls[1].ID || r.Messages[1].Result.CallID != calls[0].ID ||
		r.Messages[2].Result.CallID != calls[1].ID {
		t.Errorf("got %+v", r.Messages)
	}
	if !r.Messages[1].Result.Failed || r.Messages[2].Result.Text != `{"x":1}` {
		t.Errorf("results %+v %+v", r.Messages[1].Result, r.Messages[2].Result)
	}
}

// FuzzRead reads foreign bytes.
func FuzzRead(f *testing.F) {
	f.Add("/v1/chat/completions", []byte(`{"messages":[{"role":"tool","content":[{"text":"x"}],"tool_calls":[{}]}]}`))
	f.Add("/v1/responses", []byte(`{"input":"x"}`))
	f.Add("/v1/messages", []byte(`{"messages":[{"content":[{"type":"tool_result"}]}]}`))
	f.Add("/v1beta/models/x:generateContent", []byte(`{"contents":[{"parts":[{"functionResponse":{"response":[]}}]}]}`))
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		r, err := wire.Read(path, body, false)
		if err != nil {
			return
		}
		_ = r.History()
		if got := wire.Frame(r, wire.Write(r, answers()["call"]), "\n"); len(got) == 0 {
			t.Error("an empty answer")
		}
	})
}
