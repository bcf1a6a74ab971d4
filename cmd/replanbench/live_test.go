package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/reports"
)

// modelServer answers every chat completion by a function of the request's
// body.
func modelServer(t *testing.T, reply func(body string, n int64) string) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		text := reply(string(body)+fmt.Sprint(r.Header), n)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Openai-Organization", r.Header.Get("Openai-Organization"))
		if err := json.MarshalWrite(w, map[string]any{
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{
				"role":    "assistant",
				"content": text,
			}}},
			"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 20},
		}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

// outcome is what a command line left behind.
type commandOutcome struct {
	code           int
	stdout, stderr string
}

func runWith(ctx context.Context, variables map[string]string, args ...string) commandOutcome {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, env{
		stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr,
		getenv: func(name string) string { return variables[name] },
	})
	return commandOutcome{code, stdout.String(), stderr.String()}
}

// TestLiveShards holds the merged report of shards to that of the whole run.
func TestLiveShards(t *testing.T) {
	url, _ := modelServer(t, func(body string, _ int64) string {
		if len(body)%3 == 0 {
			return "I cannot"
		}
		return emptyPatch
	})
	dir := t.TempDir()
	ask := func(name string, more ...string) (file string) {
		t.Helper()
		file = filepath.Join(dir, name+".json")
		args := append([]string{
			"live", "--model", "m", "--base-url", url, "--cases", "generated:10", "--quiet", "--format",
			"json", "--out", file, "--corpus", filepath.Join(dir, name+".jsonl"),
		}, more...)
		if out := runWith(t.Context(), map[string]string{"OPENAI_API_KEY": "k"}, args...); out.code != exitOK {
			t.Fatalf("%s: exit code %d: %s", name, out.code, out.stderr)
		}
		return file
	}
	merge := []string{"report", "--format", "json", "--out", filepath.Join(dir, "merged.json")}
	for _, i := range []string{"2", "3", "1"} {
		merge = append(merge, ask("part-"+i, "--shard", i+"/3", "--max-requests", "300"))
	}
	if out := runWith(t.Context(), nil, merge...); out.code != exitOK {
		t.Fatalf("merge: exit code %d: %s", out.code, out.stderr)
	}
	timeless := regexp.MustCompile(`(?s)\n  "environment": \{.*?\n  \}|"latency_p\d+_ms": [0-9.e-]+`)
	text := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return timeless.ReplaceAllString(string(data), "")
	}
	if diff := cmp.Diff(text(ask("whole")), text(filepath.Join(dir, "merged.json"))); diff != "" {
		t.Errorf("the merged report is not that of the whole (-whole +merged):\n%s", diff)
	}
	out := runWith(t.Context(), map[string]string{"OPENAI_API_KEY": "k"}, "live", "--model", "m", "--base-url", url,
		"--cases", "generated:10", "--shard", "3/3", "--max-requests", "2", "--corpus", filepath.Join(dir, "none.jsonl"))
	if out.code != exitUsage || !strings.Contains(out.stderr,
		"--max-requests 2 leaves nothing for --shard 3/3 (raise it, or take fewer shards)") {
		t.Errorf("exit code %d: %s", out.code, out.stderr)
	}
}

const emptyPatch = `{"update_steps":[]}`

// TestLiveKeepsSecrets runs the command with canaries for secrets, which the
// endpoint sends back in its replies, and searches everything that came out.
func TestLiveKeepsSecrets(t *testing.T) {
	secrets := map[string]string{
		"MY_KEY": "sk-canary-0123456789", "MY_ORG": "org-canary-0123456789",
		"MY_PROJECT": "proj-canary-0123456789",
	}
	var seen atomic.Int64
	url, _ := modelServer(t, func(all string, _ int64) string {
		for _, s := range secrets {
			if strings.Contains(all, s) {
				seen.Add(1)
			}
		}
		return "not JSON: " + all
	})
	dir := t.TempDir()
	for _, format := range reports.Formats() {
		out := runWith(t.Context(), secrets, "live", "--model", "m", "--base-url", url, "--cases", "generated:1",
			"--key-env", "MY_KEY",
			"--organization-env", "MY_ORG", "--project-env", "MY_PROJECT", "--format", format, "--out",
			filepath.Join(dir, "report."+format),
			"--corpus", filepath.Join(dir, format+".jsonl"), "--record", filepath.Join(dir, "recording"))
		if out.code != exitOK {
			t.Fatalf("exit code %d: %s", out.code, out.stderr)
		}
		write := os.WriteFile(filepath.Join(dir, "output."+format), []byte(out.stdout+out.stderr), 0o600)
		if write != nil {
			t.Fatal(write)
		}
	}
	if seen.Load() == 0 {
		t.Fatal("no secret was sent: the test shows nothing")
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, s := range secrets {
			if bytes.Contains(data, []byte(s)) {
				t.Errorf("%s holds %s", path, s)
			}
		}
		return err
	})
	if err != nil || files < 3*len(reports.Formats()) {
		t.Errorf("%d files were searched, %v", files, err)
	}
}

// TestLiveReplay: a recorded run gives the identical report without its server,
// in every format, and compares its prompts.
func TestLiveReplay(t *testing.T) {
	url, asked := modelServer(t, func(all string, n int64) string {
		if strings.Contains(all, "计划") {
			return "不行"
		}
		return emptyPatch
	})
	dir := t.TempDir()
	args := func(more ...string) []string {
		return append([]string{
			"live", "--model", "m1,m2", "--prompt", "replan", "--prompt", "replan.zh", "--cases",
			"generated:3", "--samples", "2", "--quiet",
		}, more...)
	}
	recorded := map[string]string{}
	for _, format := range []string{"json", "table"} {
		out := runWith(t.Context(), nil, args("--base-url", url, "--format", format, "--record", filepath.Join(dir, format),
			"--corpus", filepath.Join(dir, "first-"+format+".jsonl"))...)
		if out.code != exitOK {
			t.Fatalf("exit code %d: %s", out.code, out.stderr)
		}
		recorded[format] = out.stdout
	}
	before := asked.Load()
	for format, want := range recorded {
		out := runWith(t.Context(), nil, args("--replay", filepath.Join(dir, format), "--format", format, "--corpus",
			filepath.Join(dir, "again-"+format+".jsonl"))...)
		if out.code != exitOK {
			t.Fatalf("exit code %d: %s", out.code, out.stderr)
		}
		got := strings.ReplaceAll(out.stdout, "again-", "first-") // the next command names the file
		if diff := cmp.Diff(withoutEnvironment(t, format, want), withoutEnvironment(t, format, got)); diff != "" {
			t.Errorf("%s (-recorded +replayed):\n%s", format, diff)
		}
	}
	if now := asked.Load(); now != before {
		t.Errorf("the replay sent %d requests", now-before)
	}
	r, err := reports.Decode([]byte(recorded["json"]))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Live.Run.Groups); n != 4 {
		t.Errorf("%d groups, want two prompts by two models", n)
	}
	var compared []string
	for _, c := range r.Live.Comparisons {
		compared = append(compared, c.Base+" with "+c.New)
	}
	if diff := cmp.Diff([]string{"replan@2 with replan.zh@2", "m1 with m2"}, compared); diff != "" {
		t.Errorf("compared are prompts and models (-want +got):\n%s", diff)
	}
}

func withoutEnvironment(t *testing.T, format, document string) string {
	t.Helper()
	if format != "json" {
		return document
	}
	r, err := reports.Decode([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	r.Environment = reports.Environment{}
	return asJSON(t, r)
}

// TestLiveInterrupted: what came before an interrupt is kept and reported, and
// the next session asks the rest.
func TestLiveInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	url, asked := modelServer(t, func(_ string, n int64) string {
		if n == 10 {
			cancel()
		}
		return emptyPatch
	})
	corpus := filepath.Join(t.TempDir(), "replies.jsonl")
	args := []string{
		"live", "--model", "m", "--base-url", url, "--cases", "generated:30", "--corpus", corpus,
		"--concurrency", "1", "--ladder", "patch", "--format", "json",
	}
	out := runWith(ctx, nil, args...)
	r, err := reports.Decode([]byte(out.stdout))
	if err != nil || out.code != exitInterrupted {
		t.Fatalf("exit code %d, %v: %s", out.code, err, out.stderr)
	}
	first := r.Live.Run
	if first.Replies < 9 || first.Replies > 10 || first.NotAsked != 30-first.Replies || r.Verdict != reports.Incomplete {
		t.Errorf("%d replies, %d not asked, %s", first.Replies, first.NotAsked, r.Verdict)
	}
	out = runWith(t.Context(), nil, append(args, "--resume")...)
	if out.code != exitOK || asked.Load() > 31 ||
		!strings.Contains(out.stderr, fmt.Sprintf("%d of 30 replies were in", first.Replies)) {
		t.Errorf("exit code %d after %d requests: %s", out.code, asked.Load(), out.stderr)
	}
}

// TestLiveStops: a limit that is met leaves the run incomplete.
func TestLiveStops(t *testing.T) {
	url, asked := modelServer(t, func(string, int64) string { return emptyPatch })
	corpus := filepath.Join(t.TempDir(), "replies.jsonl")
	out := runWith(t.Context(), nil, "live", "--model", "m", "--base-url", url, "--cases", "generated:200", "--corpus",
		corpus, "--concurrency", "4", "--max-tokens", "10000")
	// Every request takes 120 tokens; a reply without a limit is taken to have 400.
	if n := asked.Load(); out.code != exitGate || n < 60 || n > 10000/120 {
		t.Errorf("exit code %d after %d requests: %s", out.code, n, out.stderr)
	}
	if !strings.Contains(out.stdout, "the limit of 10000 tokens") {
		t.Errorf("the report does not say why it stopped:\n%s", out.stdout)
	}
}

// TestLiveWrongAddress: an address without /v1 is a frequent mistake.
func TestLiveWrongAddress(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for path, hint := range map[string]bool{"": true, "/v1": false} {
		code, _, stderr := call(t.Context(), "live", "--model", "m", "--base-url", server.URL+path, "--cases", "generated:1", "--tries", "1",
			"--corpus", filepath.Join(t.TempDir(), "c.jsonl"))
		if code != exitBroken || strings.Contains(stderr, "(most addresses of --base-url end with /v1)") != hint {
			t.Errorf("%q: exit code %d: %s", path, code, stderr)
		}
	}
}
