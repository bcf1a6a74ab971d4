package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/reports"
)

// asked is what a server was sent.
type asked struct {
	path, query, key, header string
	body                     map[string]any
}

// endpoint starts a server that answers by a function of what it is sent, and keeps
// that.
func endpoint(t *testing.T, answer func(asked) any) (url string, all func() []asked) {
	t.Helper()
	var mu sync.Mutex
	var list []asked
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		a := asked{
			path: r.URL.Path, query: r.URL.RawQuery, key: r.Header.Get("Authorization"),
			header: r.Header.Get("X-Team"),
		}
		if err != nil || json.Unmarshal(data, &a.body) != nil {
			t.Errorf("%v: %s", err, data)
		}
		mu.Lock()
		list = append(list, a)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if err := json.MarshalWrite(w, answer(a)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() []asked {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

func chatAnswer(message map[string]any) any {
	return map[string]any{
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": message}},
		"usage":   map[string]any{"prompt_tokens": 10, "completion_tokens": 5},
	}
}

const (
	chainPlan = `{"title":"t","steps":[{"id":"a","description":"A","status":"done"},{"id":"b","description":"B","dependencies":["a"],"status":"failed"}]}`
	mendsB    = `{"update_steps":[{"id":"b","description":"B again"}]}`
)

func caseFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func records(t *testing.T, corpus string) (list []corpora.Record) {
	t.Helper()
	for r, err := range corpora.File(corpus).Records() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// Two endpoints in one run, each with its own key, header, query and members; their
// models are compared with each other.
func TestLiveEndpoints(t *testing.T) {
	reply := func(asked) any { return chatAnswer(map[string]any{"role": "assistant", "content": mendsB}) }
	one, ofOne := endpoint(t, reply)
	two, ofTwo := endpoint(t, reply)
	corpus := filepath.Join(t.TempDir(), "replies.jsonl")
	variables := map[string]string{"KEY_A": "secret-a", "KEY_B": "secret-b", "TEAM": "secret-team"}
	args := []string{
		"live", "--base-url", "a=" + one, "--base-url", "b=" + two, "--model", "m@a,m@b", "--cases",
		caseFile(t, `{"id":"c","plan":`+chainPlan+`}`),
		"--key-env", "a=KEY_A", "--key-env", "KEY_B", "--header", "b:X-Team=$TEAM", "--query", "b:api-version=2024-10-21",
		"--body", "reasoning_effort=low", "--body", `a:chat_template_kwargs={"enable_thinking":false}`, "--corpus", corpus,
		"--format", "json",
	}
	out := runWith(t.Context(), variables, args...)
	if out.code != exitOK {
		t.Fatalf("exit code %d: %s", out.code, out.stderr)
	}
	see := func(a asked) string {
		return fmt.Sprint(a.path, " ", a.query, " ", a.key, " ", a.header, " ", a.body["model"], " ",
			a.body["reasoning_effort"], " ", a.body["chat_template_kwargs"])
	}
	if got, want := see(ofOne()[0]), "/v1/chat/completions  Bearer secret-a  m low map[enable_thinking:false]"; got != want {
		t.Errorf("the first endpoint was sent %q, want %q", got, want)
	}
	if got, want := see(ofTwo()[0]), "/v1/chat/completions api-version=2024-10-21 Bearer secret-b secret-team m low <nil>"; got != want {
		t.Errorf("the second endpoint was sent %q, want %q", got, want)
	}
	report, err := reports.Decode([]byte(out.stdout))
	if err != nil {
		t.Fatal(err)
	}
	if c := report.Live.Comparisons; len(c) != 1 || c[0].Base != "m@a" || c[0].New != "m@b" {
		t.Errorf("the models are not compared: %+v", c)
	}
	var got []string
	for _, r := range records(t, corpus) {
		got = append(got, r.Model+" "+r.Param("reasoning_effort")+" "+r.Param("chat_template_kwargs"))
	}
	if diff := cmp.Diff([]string{`m@a low {"enable_thinking":false}`, "m@b low "}, got); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(corpus)
	if err != nil || strings.Contains(string(data)+out.stdout+out.stderr, "secret-") {
		t.Errorf("a secret was written, or %v", err)
	}
	again := runWith(t.Context(), variables, append(args, "--resume")...)
	if again.code != exitOK || len(ofOne())+len(ofTwo()) != 2 {
		t.Errorf("going on asked again: %s", again.stderr)
	}
}

// The edit as what a tool is called with, by both interfaces.
func TestLiveTool(t *testing.T) {
	chat, ofChat := endpoint(t, func(asked) any {
		return chatAnswer(map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{
			map[string]any{"id": "1", "type": "function", "function": map[string]any{"name": "edit_plan", "arguments": mendsB}},
		}})
	})
	respond, ofRespond := endpoint(t, func(a asked) any {
		item := map[string]any{
			"type": "function_call", "id": "1", "call_id": "1", "name": "edit_plan", "arguments": mendsB,
			"status": "completed",
		}
		if a.body["tools"] == nil {
			item = map[string]any{
				"type": "message", "id": "1", "role": "assistant", "status": "completed",
				"content": []any{map[string]any{"type": "output_text", "text": mendsB, "annotations": []any{}}},
			}
		}
		return map[string]any{
			"id": "r", "object": "response", "model": "m", "status": "completed", "output": []any{item},
			"usage": map[string]any{"input_tokens": 11, "output_tokens": 6},
		}
	})
	for _, test := range []struct {
		api, url, format string
		sent             func() []asked
		path, sees       string // of the last request
	}{
		{"chat", chat, "tool", ofChat, "/v1/chat/completions", "[function] map[function:map[name:edit_plan] type:function]"},
		{"responses", respond, "tool", ofRespond, "/v1/responses", "[function edit_plan] map[name:edit_plan type:function]"},
		{"responses", respond, "free", ofRespond, "/v1/responses", "[] <nil>"},
		{"responses", respond, "json_schema", ofRespond, "/v1/responses", "[] <nil>"},
	} {
		t.Run(test.api+" "+test.format, func(t *testing.T) {
			corpus := filepath.Join(t.TempDir(), "replies.jsonl")
			out := runWith(t.Context(), nil, "live", "--base-url", test.url, "--api", test.api, "--response-format",
				test.format, "--model", "m",
				"--cases", caseFile(t, `{"id":"c","plan":`+chainPlan+`,"failed_step":"b"}`), "--corpus", corpus, "--reply-tokens",
				"50")
			if out.code != exitOK {
				t.Fatalf("exit code %d: %s", out.code, out.stderr)
			}
			r := records(t, corpus)[0]
			if string(r.Reply) != mendsB || r.FinishReason != "stop" || r.Usage.PromptTokens < 10 {
				t.Errorf("recorded %q, %s, %+v", r.Reply, r.FinishReason, r.Usage)
			}
			sent := test.sent()
			last := sent[len(sent)-1]
			var tools []any
			if list, ok := last.body["tools"].([]any); ok {
				tool := list[0].(map[string]any)
				if tools = append(tools, tool["type"]); tool["name"] != nil {
					tools = append(tools, tool["name"])
				}
			}
			if got := fmt.Sprint(tools, " ", last.body["tool_choice"]); got != test.sees || last.path != test.path {
				t.Errorf("sent %s %s, want %s %s", last.path, got, test.path, test.sees)
			}
			if format, _ := last.body["text"].(map[string]any); test.format == "json_schema" &&
				(format == nil || format["format"].(map[string]any)["schema"] == nil) {
				t.Errorf("no schema was sent: %v", last.body)
			}
		})
	}
}

// Updates by operations are asked for with prompts of their own, and what was wrong
// with one is told.
func TestLiveOperations(t *testing.T) {
	url, sent := endpoint(t, func(a asked) any {
		reply := `{"operations":[{"type":"remove","step_id":"a"}]}`
		if len(a.body["messages"].([]any)) > 1 {
			reply = `{"operations":[{"type":"modify","step_id":"b","step_data":{"description":"B again"}}]}`
		}
		return chatAnswer(map[string]any{"role": "assistant", "content": reply})
	})
	corpus := filepath.Join(t.TempDir(), "replies.jsonl")
	plan := `{"name":"n","version":1,"steps":[{"id":"a","description":"A","status":"completed"},{"id":"b","description":"B","status":"failed"}]}`
	template := filepath.Join(t.TempDir(), "mine.j2")
	if err := os.WriteFile(template, []byte("{% for s in plan.steps %}{{ s.id }}={{ s.status }} {% endfor %}{% for e "+
		"in case.examples %}{{ e.good }}{% endfor %}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := runWith(t.Context(), nil, "live", "--dialect", "operations", "--base-url", url, "--model", "m", "--prompt",
		"plan_update", "--prompt", template,
		"--cases", caseFile(t, `{"id":"c","plan":`+plan+`,"failed_step":"b","examples":[{"good":"like this"}]}`), "--corpus",
		corpus, "--format", "json",
		"--require", "apply_rate_after_retry >= 1", "--require", "danger_rate >= 1")
	if out.code != exitOK {
		t.Fatalf("exit code %d: %s", out.code, out.stderr)
	}
	content := func(a asked, i int) string {
		list := a.body["messages"].([]any)
		return list[i].(map[string]any)["content"].(string)
	}
	var first, last string
	for _, a := range sent() {
		if n := len(a.body["messages"].([]any)); n > 1 {
			last = content(a, n-1)
		} else if !strings.Contains(content(a, 0), "operations") {
			first = content(a, 0)
		}
	}
	if want := "a=completed b=failed like this"; first != want {
		t.Errorf("the template gave %q, want %q", first, want)
	}
	if want := "operation 1 (remove a): done_immutable"; !strings.Contains(last, want) {
		t.Errorf("the retry says %q, and not %q", last, want)
	}
}

func TestLiveEndpointsRefused(t *testing.T) {
	for _, test := range []struct {
		want string
		args []string
	}{
		{"with several endpoints each needs a name", []string{
			"--base-url", "http://a/v1", "--base-url", "http://b/v1",
			"--model", "m",
		}},
		{"--model m names no endpoint (write m@NAME", []string{
			"--base-url", "a=http://a/v1", "--base-url", "b=http://b/v1",
			"--model", "m",
		}},
		{"--body temperature: use --temperature", []string{
			"--base-url", "http://a/v1", "--model", "m", "--body",
			"temperature=1",
		}},
		{`there is no endpoint "c"`, []string{"--base-url", "a=http://a/v1", "--model", "m@a", "--header", "c:x=y"}},
		{"write KEY=VALUE", []string{"--base-url", "http://a/v1", "--model", "m", "--body", "x"}},
		{"the environment variable NOWHERE is empty", []string{
			"--base-url", "http://a/v1", "--model", "m", "--header",
			"x=$NOWHERE",
		}},
		{"--api responses has neither a seed", []string{
			"--base-url", "http://a/v1", "--model", "m", "--api", "responses",
			"--seed", "3",
		}},
		{"is for another dialect than operations", []string{
			"--dialect", "operations", "--base-url", "http://a/v1",
			"--model", "m", "--prompt", "replan",
		}},
	} {
		out := runWith(t.Context(), nil, append([]string{
			"live", "--cases", "generated:1", "--corpus",
			filepath.Join(t.TempDir(), "x.jsonl"),
		}, test.args...)...)
		if out.code != exitUsage || !strings.Contains(out.stderr, test.want) {
			t.Errorf("%v: exit code %d, %s; want %q", test.args, out.code, out.stderr, test.want)
		}
	}
}
