package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/dialect/all"
	"replanbench/harness/live"
	"replanbench/harness/live/prompt"
	"replanbench/reports"
)

// tinylm is the folder of the small models, from the environment.
func tinylm(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("REPLANBENCH_TINYLM")
	if dir == "" {
		t.Skip("REPLANBENCH_TINYLM names no folder with the small models and their server")
	}
	if _, err := os.Stat(filepath.Join(dir, "serve.mjs")); err != nil {
		t.Skipf("REPLANBENCH_TINYLM: %s holds no server (serve.mjs)", dir)
	}
	return dir
}

// TestTinyTemplate: the template makes the form of prompt that the small models
// were trained on, for every case that they come with.
func TestTinyTemplate(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(tinylm(t), "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := live.ReadCases(all.Asked(), "cases.jsonl", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	set, err := prompt.Load(all.Asked(), "testdata/tinylm/tiny.j2", prompt.Others{Retry: "testdata/tinylm/retry.j2"})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i := range cases.N {
		c, err := cases.At(i)
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Messages []live.Message `json:"messages"`
		}
		if err := json.Unmarshal([]byte(lines[i]), &want); err != nil {
			t.Fatal(err)
		}
		got, err := (&prompt.Go{}).Render(t.Context(), set.Patch, c.Variables())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Messages[1].Content, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
}

// startTiny starts the server of the small models and returns its address.
func startTiny(t *testing.T) string {
	t.Helper()
	folder := tinylm(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, which the server of the small models needs")
	}
	modules := os.Getenv("REPLANBENCH_TINYLM_MODULES")
	if modules == "" {
		modules = filepath.Join(folder, "node_modules")
	}
	if modules, err = filepath.Abs(modules); err == nil {
		_, err = os.Stat(filepath.Join(modules, "node-llama-cpp"))
	}
	if err != nil {
		t.Skipf("%s does not hold node-llama-cpp (npm ci --ignore-scripts --omit=optional installs it, as .ci/run does)",
			modules)
	}
	dir := assemble(t, folder, modules)
	port := freePort(t)
	cmd := exec.Command(node, "serve.mjs", "--model", "tiny-replan-l.gguf", "--port", port)
	cmd.Dir = dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
	})
	base := "http://127.0.0.1:" + port
	for begun := time.Now(); time.Since(begun) < 5*time.Minute; time.Sleep(100 * time.Millisecond) {
		if res, err := http.Get(base + "/health"); err == nil {
			res.Body.Close()
			return base + "/v1"
		}
	}
	t.Fatalf("the server did not start:\n%s", output.String())
	return ""
}

// assemble puts server, models and modules into one folder: the server finds
// its modules beside its own file.
func assemble(t *testing.T, folder, modules string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"serve.mjs", "package.json"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	models, err := filepath.Glob(filepath.Join(folder, "*.gguf"))
	if err != nil || len(models) < 3 {
		t.Skipf("%s holds %d models, and three are needed", folder, len(models))
	}
	links := map[string]string{"node_modules": modules}
	for _, m := range models {
		links[filepath.Base(m)] = m
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// liveRun runs the command and returns its report without the environment.
func liveRun(t *testing.T, args ...string) *reports.Report {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := env{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }}
	code := run(context.Background(), append([]string{"live", "--format", "json", "--quiet"}, args...), e)
	r, err := reports.Decode(stdout.Bytes())
	if err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr.String())
	}
	r.Environment = reports.Environment{}
	return r
}

// TestTinyLive asks the three small models by two prompts, free and bound by
// the schema, and does it again from the recording with the server gone.
func TestTinyLive(t *testing.T) {
	dir := t.TempDir()
	recording := filepath.Join(dir, "recording")
	ask := func(corpus string, more ...string) *reports.Report {
		return liveRun(t, append([]string{
			"--model", "tiny-replan-s,tiny-replan-m,tiny-replan-l", "--response-format", "free,json_schema",
			"--prompt", "testdata/tinylm/tiny.j2", "--prompt", "testdata/tinylm/tiny_short.j2",
			"--retry-prompt", "testdata/tinylm/retry.j2", "--system", "testdata/tinylm/system.txt",
			"--cases", filepath.Join(tinylm(t), "cases.jsonl"), "--limit", "3", "--ladder", "patch,retry",
			"--temperature", "0.7", "--seed", "7", "--reply-tokens", "400", "--concurrency", "2",
			"--corpus", filepath.Join(dir, corpus),
		}, more...)...)
	}
	base := startTiny(t)
	first := ask("first.jsonl", "--base-url", base, "--record", recording)
	const cells = 3 * 2 * 3 * 2
	if r := first.Live.Run; r.Cells != cells || r.Whole != cells || r.Replies < cells {
		t.Errorf("%d cells, %d whole, %d replies; want %d of each or more replies", r.Cells, r.Whole, r.Replies, cells)
	}
	if n := len(first.Live.Run.Groups); n != 2*3*2 {
		t.Errorf("%d groups, want one by prompt, model and format", n)
	}
	if len(first.Live.Comparisons) == 0 || len(first.Live.Comparisons[0].Rows) == 0 {
		t.Errorf("the prompts were not compared: %v", first.Live.Comparisons)
	}
	checkTinyScores(t, first)
	again := ask("again.jsonl", "--base-url", "http://127.0.0.1:9/v1", "--replay", recording)
	if diff := cmp.Diff(asJSON(t, first), asJSON(t, again)); diff != "" {
		t.Errorf("the replay gives another report (-first +again):\n%s", diff)
	}
}

// checkTinyScores: every group has its three requests, and the best model writes
// patches that can be read when it is asked in the form that it knows.
func checkTinyScores(t *testing.T, r *reports.Report) {
	t.Helper()
	for _, g := range r.Score.Groups {
		rate, ok := g.Rate("parse_rate")
		if !ok || rate.N != 3 {
			t.Errorf("%v: parse rate over %d requests, want 3", g.Key, rate.N)
		}
		if key := fmt.Sprint(g.Key); strings.Contains(key, "tiny@") && strings.Contains(key, "replan-l") && rate.Yes < 2 {
			t.Errorf("%v: only %d of 3 replies could be read", g.Key, rate.Yes)
		}
	}
}

func asJSON(t *testing.T, r *reports.Report) string {
	t.Helper()
	data, err := json.Marshal(r, json.Deterministic(true), jsontext.WithIndent(" "))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
