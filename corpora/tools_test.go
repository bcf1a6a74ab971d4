package corpora_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"replanbench/corpora"
)

// pair is a line of openai-pairs.
func pair(response string) string { return `{"request":{"model":"m"},"response":` + response + `}` }

// cassette is one of vcrpy.
func cassette(uri, request, response string) string {
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	return fmt.Sprintf("interactions:\n- request:\n    uri: %s\n    body: %s\n  response:\n    body:\n      string: %s\n",
		uri, quoted(request), quoted(response))
}

// Where a tool edits the plan, the reply is what it was called with, in every form
// that calls are recorded in.
func TestToolCalls(t *testing.T) {
	const edit = `{"remove_steps":["b"]}`
	quoted := `"{\"remove_steps\":[\"b\"]}"`
	stream := "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"replan\",\"arguments\":\"\"}}]}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"remove_steps\\\"\"}}]}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":[\\\"b\\\"]}\"}}]}}]}\n\ndata: [DONE]\n"
	events := "event: content_block_start\ndata: {\"content_block\":{\"type\":\"tool_use\",\"name\":\"replan\"}}\n\n" +
		"data: {\"delta\":{\"partial_json\":\"{\\\"remove_steps\\\":\"}}\n\ndata: " +
		"{\"delta\":{\"partial_json\":\"[\\\"b\\\"]}\"}}\n"
	ended := "data: {\"type\":\"response.created\",\"response\":{\"output\":[]}}\n\n" +
		"data: {\"type\":\"response.completed\",\"response\":{\"model\":\"m\",\"output\":[{\"type\":\"function_call\",\"name\":\"replan\",\"arguments\":" + quoted + "}]}}\n"
	converse := `{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":"I edit."},{"toolUse":{"toolUseId":"1","name":"replan","input":` + edit + `}}]}},"stopReason":"tool_use","usage":{"inputTokens":7,"outputTokens":9,"totalTokens":16}}`
	bedrock := "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-v1%3A0/converse"
	asked := `{"messages":[{"role":"user","content":[{"text":"Replan."}]}],"system":[{"text":"Be brief."}],"inferenceConfig":{"maxTokens":50,"temperature":0.5}}`
	inspect := func(message string) string {
		return `{"eval":{"model":"m"},"samples":[{"id":"p","epoch":1,"input":"x","output":{"choices":[{"message":` +
			message + `,"stop_reason":"stop"}],"time":NaN},"scores":{"a":{"value":-Infinity,"answer":"NaN"}},"metadata":{"plan":{"title":"NaN"}},"attachments":{"abc":"the whole text"}}]}`
	}
	tests := []struct {
		name, importer, content, tool string
		want                          string // reply, tags and model
	}{
		{"chat", "openai-pairs", pair(`{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"replan","arguments":` + quoted + `}}]},"finish_reason":"tool_calls"}]}`), "", edit + " [tool_call:replan] m"},
		{
			"chat with a word before", "openai-pairs",
			pair(`{"choices":[{"message":{"content":"I edit.","tool_calls":[{"function":{"name":"log","arguments":"{}"}},{"function":{"name":"replan","arguments":` + quoted + `}}]}}]}`), "replan", edit + " [tool_call:replan] m",
		},
		{
			"chat with a word, and no tool asked for", "openai-pairs",
			pair(`{"choices":[{"message":{"content":"I edit.","tool_calls":[{"function":{"name":"replan","arguments":` +
				quoted + `}}]}}]}`), "", "I edit. [] m",
		},
		{"chat, another tool", "openai-pairs", pair(`{"choices":[{"message":{"content":"I edit.","tool_calls":[{"function":{"name":"log","arguments":"{}"}}]}}]}`), "replan", "I edit. [] m"},
		{"responses", "openai-pairs", pair(`{"output":[{"type":"reasoning"},{"type":"function_call","name":"replan","arguments":` + quoted + `}]}`), "", edit + " [tool_call:replan] m"},
		{"messages", "openai-pairs", pair(`{"content":[{"type":"text","text":"I edit."},{"type":"tool_use","name":"replan","input":` + edit + `}]}`), "replan", edit + " [tool_call:replan] m"},
		{"generateContent", "openai-pairs", pair(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"replan","args":` + edit + `}}]}}]}`), "", edit + " [tool_call:replan] m"},
		{"converse", "vcr", cassette(bedrock, asked, converse), "replan", edit + " [tool_call:replan] anthropic.claude-v1:0"},
		{"converse, its text", "vcr", cassette(bedrock, asked, converse), "", "I edit. [] anthropic.claude-v1:0"},
		{"inspect", "inspect", inspect(`{"content":"","tool_calls":[{"id":"1","function":"replan","arguments":` + edit +
			`}]}`), "", edit + " [tool_call:replan] m"},
		{"inspect, a long text kept apart", "inspect", inspect(`{"content":"attachment://abc"}`), "", "the whole text [] m"},
		{"promptfoo", "promptfoo", `{"results":[{"provider":"m","response":{"output":[{"type":"function","function":{"name":"replan","arguments":` + quoted + `}}]}}]}`, "", edit + " [tool_call:replan] m"},
	}
	for i, s := range []string{stream, events, ended} {
		var lines string
		for line := range strings.Lines(s) {
			lines += "        " + line
		}
		tests = append(tests, struct{ name, importer, content, tool, want string }{
			fmt.Sprintf("streamed %d", i), "vcr", "interactions:\n- request:\n    uri: x\n    body: '{\"model\":\"m\"}'\n  " +
				"response:\n    body:\n      string: |\n" + lines, "",
			edit + " [streamed tool_call:replan] m",
		})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.json")
			if err := os.WriteFile(file, []byte(test.content), 0o644); err != nil {
				t.Fatal(err)
			}
			var got []string
			for r, err := range corpora.Import(test.importer, []string{file},
				corpora.Options{Dialect: "planpatch", Tool: test.tool}) {
				if err != nil {
					t.Fatal(err)
				}
				tags := slices.DeleteFunc(r.Tags, func(s string) bool { return strings.HasPrefix(s, "run:") })
				got = append(got, fmt.Sprintf("%s %v %s", r.Reply, tags, r.Model))
			}
			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Bedrock has the parameters, the prompt and the tokens in places of its own.
func TestConverse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	asked := `{"messages":[{"role":"user","content":[{"text":"Replan."}]}],"system":[{"text":"Be brief."}],"inferenceConfig":{"maxTokens":50,"temperature":0.5}}`
	said := `{"output":{"message":{"content":[{"text":"{}"}]}},"stopReason":"max_tokens","usage":{"inputTokens":7,"outputTokens":9}}`
	if err := os.WriteFile(file, []byte(cassette("https://x/model/nova/converse", asked, said)), 0o644); err != nil {
		t.Fatal(err)
	}
	for r, err := range corpora.Import("vcr", []string{file}, corpora.Options{Dialect: "planpatch", Messages: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %s %s %d+%d %s", r.Model, r.FinishReason, r.Params, r.Usage.PromptTokens,
			r.Usage.CompletionTokens, r.Messages)
		want := `nova length {"max_tokens":50,"temperature":0.5} 7+9 [{"role":"system","content":"Be brief."},{"role":"user","content":[{"text":"Replan."}]}]`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// archive writes a zip archive of files, packed by a method.
func archive(t *testing.T, method uint16, files ...string) string {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for i := 0; i < len(files); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "log.eval")
	if err := os.WriteFile(name, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestEval(t *testing.T) {
	sample := func(id string) string {
		return `{"id":"` + id + `","epoch":1,"input":"x","output":{"choices":[{"message":{"content":"{}"}}],"time":NaN},"metadata":{"plan":{"title":"t"}}}`
	}
	header := `{"eval":{"model":"m"},"plan":{"config":{"temperature":0.5}}}`
	tests := []struct {
		name  string
		file  string
		wants []string // id, model and temperature, or a part of the error
	}{
		{
			"deflated", archive(t, zip.Deflate, "_journal/start.json", `{}`, "samples/b_epoch_1.json", sample("b"),
				"samples/a_epoch_1.json", sample("a"), "summaries.json", `[]`, "header.json", header),
			[]string{"a/1 m 0.5", "b/1 m 0.5"},
		},
		{
			"by zstd", archive(t, zstd.ZipMethodWinZip, "samples/a_epoch_1.json", sample("a"), "header.json", header),
			[]string{"a/1 m 0.5"},
		},
		{
			"never ended", archive(t, zip.Store, "_journal/start.json", header, "samples/a_epoch_1.json", sample("a")),
			[]string{"a/1 m 0.5"},
		},
		{"a damaged sample", archive(t, zip.Store, "header.json", header, "samples/a_epoch_1.json", "{",
			"samples/b_epoch_1.json", sample("b")), []string{"! log.eval/samples/a_epoch_1.json: not JSON", "b/1 m 0.5"}},
		{
			"no samples", archive(t, zip.Store, "header.json", header),
			[]string{"! log.eval: the archive has no samples/*.json (is it a log of inspect_ai?)"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for r, err := range corpora.Import("inspect", []string{test.file}, corpora.Options{Dialect: "planpatch"}) {
				if err != nil {
					got = append(got, "! "+strings.ReplaceAll(err.Error(), filepath.Dir(test.file)+"/", ""))
					continue
				}
				got = append(got, fmt.Sprintf("%s %s %s", r.ID, r.Model, r.Param("temperature")))
			}
			if !slices.EqualFunc(got, test.wants, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, test.wants)
			}
		})
	}
	whole, err := os.ReadFile(tests[0].file)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.eval")
	if err := os.WriteFile(cut, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, err := range corpora.Import("inspect", []string{cut}, corpora.Options{Dialect: "planpatch"}) {
		if err == nil || !strings.Contains(err.Error(), "damaged archive") {
			t.Errorf("a cut archive: %v", err)
		}
	}
}
